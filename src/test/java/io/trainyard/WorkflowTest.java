package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/// What GitHub runs is what everybody runs.
final class WorkflowTest {
    private static JsonNode workflow() throws IOException {
        try (var text = Files.newBufferedReader(Path.of(".github/workflows/ci.yml"))) {
            return new ObjectMapper().valueToTree(new Yaml().load(text));
        }
    }

    @Test
    void theOneScriptIsWhatIsRun() throws IOException {
        assertThat(steps("run")).contains(".ci/run");
        assertThat(Path.of(".ci/run")).isExecutable();
    }

    @Test
    void actionsAreOfOneMajorVersion() throws IOException {
        assertThat(steps("uses")).isNotEmpty().allMatch(action -> action.matches("actions/[a-z-]+@v[0-9]+"));
    }

    @Test
    void javaIsTheOneThatTheBuildAsksFor() throws IOException {
        assertThat(workflow().at("/jobs/ci/steps").findValue("java-version").asInt())
                .isEqualTo(25);
        assertThat(Files.readString(Path.of("pom.xml")))
                .contains("<maven.compiler.release>25</maven.compiler.release>");
    }

    /// Nobody's pull request gets a token that may write.
    @Test
    void itMayOnlyRead() throws IOException {
        assertThat(workflow().path("permissions").properties()).singleElement().satisfies(permission -> {
            assertThat(permission.getKey()).isEqualTo("contents");
            assertThat(permission.getValue().asText()).isEqualTo("read");
        });
    }

    private static List<String> steps(String kind) throws IOException {
        return StreamSupport.stream(workflow().at("/jobs/ci/steps").spliterator(), false)
                .filter(step -> step.has(kind))
                .map(step -> step.path(kind).asText())
                .toList();
    }
}
