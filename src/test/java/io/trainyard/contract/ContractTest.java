package io.trainyard.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.Page;
import io.trainyard.metrics.YamlFiles;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Holds docs/contract to the code: it is what the code writes, and its schemas take what is right and refuse what is
/// not.
class ContractTest {
    private static final Map<String, String> WRITTEN = Contract.files();
    private static final Schemas SCHEMAS = Schemas.in(Schemas.PRESENT);
    private static final JsonMapper MAPPER = new JsonMapper();

    /// What a schema refuses.
    private record Broken(String schema, String json) {}

    static Stream<String> written() {
        return WRITTEN.keySet().stream();
    }

    static List<Path> examples() throws IOException {
        return files(Contract.FOLDER.resolve("examples"));
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    /// `job-requested` of `job-requested.layers.json`.
    static String schema(Path example) {
        return example.getFileName().toString().replaceFirst("\\..*", "");
    }

    /// So that a change is seen. `-Dgolden.write=true` writes them anew.
    @ParameterizedTest
    @MethodSource("written")
    void isWhatTheCodeWrites(String file) throws IOException {
        Path golden = Contract.FOLDER.resolve(file);
        if (Boolean.getBoolean("golden.write")) {
            Files.createDirectories(golden.getParent());
            Files.writeString(golden, WRITTEN.get(file));
        }
        assertThat(WRITTEN.get(file))
                .as("%s; -Dgolden.write=true writes it anew", golden)
                .isEqualTo(Files.readString(golden));
    }

    @Test
    void noSchemaIsLeftOver() throws IOException {
        assertThat(files(Schemas.PRESENT))
                .extracting(Path::getFileName)
                .extracting(Path::toString)
                .containsExactlyElementsOf(Message.schemas().keySet().stream()
                        .map(name -> name + ".json")
                        .toList());
    }

    @Test
    void eachSchemaIsOne() throws IOException {
        for (Path schema : files(Schemas.PRESENT)) {
            assertThat(SCHEMAS.mistakesOfSchema(Files.readString(schema)))
                    .as("%s", schema)
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("examples")
    void anExampleIsValid(Path example) throws IOException {
        byte[] json = Files.readAllBytes(example);
        assertThat(SCHEMAS.mistakes(schema(example), json)).isEmpty();
        if (schema(example).equals("job-requested")) {
            assertThat(JobJson.read(json).id()).isNotEmpty();
        }
    }

    @Test
    void eachSchemaHasAnExample() throws IOException {
        assertThat(examples())
                .extracting(ContractTest::schema)
                .containsAll(Message.schemas().keySet().stream()
                        .filter(name -> !name.equals("job-file"))
                        .toList());
    }

    /// What the docs show to be jobs.
    @Test
    void theDocsJobsAreValid() throws IOException {
        List<String> jobs = new ArrayList<>(Page.read("docs/jobs.md").code("json"));
        for (Path file : files(Path.of("docs/jobs"))) {
            jobs.add(file.toString().endsWith(".yaml") ? YamlFiles.read(file).toString() : Files.readString(file));
        }
        assertThat(jobs)
                .hasSizeGreaterThan(8)
                .allSatisfy(job -> assertThat(SCHEMAS.mistakes("job-file", job)).isEmpty());
    }

    static List<Broken> broken() throws IOException {
        List<Broken> broken = new ArrayList<>();
        for (var schema : YamlFiles.read(Path.of("src/test/resources/io/trainyard/contract/broken.yaml"))
                .properties()) {
            schema.getValue().forEach(json -> broken.add(new Broken(schema.getKey(), json.asText())));
        }
        return broken;
    }

    /// A command that is refused here is refused by workers, too.
    @ParameterizedTest
    @MethodSource("broken")
    void whatIsBrokenIsRefused(Broken broken) throws IOException {
        assertThat(SCHEMAS.mistakes(broken.schema(), broken.json())).isNotEmpty();
        if (broken.schema().equals("job-requested")) {
            JsonNode job = MAPPER.readTree(broken.json());
            assertThatThrownBy(() -> JobJson.read(job)).isInstanceOf(InvalidJobException.class);
        }
    }

    @Test
    void somethingIsRefusedByEachSchema() throws IOException {
        assertThat(broken())
                .extracting(Broken::schema)
                .containsAll(Message.schemas().keySet().stream()
                        .filter(name -> !name.equals("job-rejected"))
                        .toList());
    }
}
