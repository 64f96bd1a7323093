package io.trainyard.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.metrics.YamlFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The schemas keep what those of each released version have promised.
class CompatibilityTest {
    private static final Path RELEASED = Contract.FOLDER.resolve("released");

    /// What others write and the fleet reads. Their headers, beside which any may stand, are as other records are.
    private static final Set<String> COMMANDS = Set.of("job-requested.json");

    private static final JsonMapper MAPPER = new JsonMapper();

    /// Two schemas, made to show one thing.
    ///
    /// @param of `commands` or `events`
    /// @param breaks part of what is said; empty: nothing breaks
    record Change(String name, String of, JsonNode before, JsonNode now, String breaks) {
        @Override
        public String toString() {
            return of + ": " + name;
        }
    }

    static List<Path> released() throws IOException {
        try (Stream<Path> versions = Files.list(RELEASED)) {
            return versions.sorted().toList();
        }
    }

    static List<Change> changes() throws IOException {
        return YamlFiles.read(Path.of("src/test/resources/io/trainyard/contract/changes.yaml"))
                .valueStream()
                .map(change -> new Change(
                        change.get("name").asText(),
                        change.get("of").asText(),
                        change.get("before"),
                        change.get("now"),
                        change.path("breaks").asText("")))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("released")
    void nothingReleasedIsBroken(Path version) throws IOException {
        try (Stream<Path> files = Files.list(version)) {
            for (Path file : files.sorted().toList()) {
                Path present = Schemas.PRESENT.resolve(file.getFileName());
                assertThat(present).exists();
                assertThat(breaks(
                                COMMANDS.contains(String.valueOf(file.getFileName())),
                                MAPPER.readTree(Files.readString(file)),
                                MAPPER.readTree(Files.readString(present))))
                        .as("%s since %s", file.getFileName(), version.getFileName())
                        .isEmpty();
            }
        }
    }

    private static List<String> breaks(boolean commands, JsonNode before, JsonNode now) {
        return commands ? CommandCompatibility.breaks(before, now) : EventCompatibility.breaks(before, now);
    }

    @ParameterizedTest
    @MethodSource("changes")
    void aChangeIsJudged(Change change) {
        List<String> breaks = breaks(change.of().equals("commands"), change.before(), change.now());
        if (change.breaks().isEmpty()) {
            assertThat(breaks).isEmpty();
        } else {
            assertThat(breaks).singleElement().asString().contains(change.breaks());
        }
    }

    /// Readers of a released version take what this one writes.
    @ParameterizedTest
    @MethodSource("released")
    void theirSchemasTakeTheExamplesOfToday(Path version) throws IOException {
        Schemas schemas = Schemas.in(version);
        for (Path example : ContractTest.examples()) {
            String schema = ContractTest.schema(example);
            boolean known = Files.exists(version.resolve(schema + ".json"));
            if (known && !COMMANDS.contains(schema + ".json")) {
                assertThat(schemas.mistakes(schema, Files.readAllBytes(example)))
                        .as("%s", example)
                        .isEmpty();
            }
        }
    }

    @Test
    void theFirstVersionIsThere() throws IOException {
        assertThat(released())
                .extracting(Path::getFileName)
                .extracting(Path::toString)
                .contains("0.1.0");
    }
}
