package io.trainyard.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.Page;
import io.trainyard.event.Control;
import io.trainyard.event.MetricValues;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.WorkerStatus;
import io.trainyard.metrics.YamlFiles;
import io.trainyard.ownership.Ownership;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Trials;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks docs/contract against the code: its schemas have the fields of the records, accept valid ones and
/// refuse invalid ones.
class ContractTest {
    private static final Schemas SCHEMAS = Schemas.in(Schemas.PRESENT);
    private static final JsonMapper MAPPER = new JsonMapper();

    /// A document that a schema refuses.
    private record Broken(String schema, String json) {}

    static List<Path> examples() throws IOException {
        return files(Message.FOLDER.resolve("examples"));
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

    @Test
    void eachKindOfRecordAndOfHeadersHasASchema() throws IOException {
        assertThat(schemas())
                .containsExactlyInAnyOrderElementsOf(Stream.concat(
                                Stream.of("job-file"),
                                Message.all().stream().flatMap(kind -> Stream.of(kind.name(), kind.headers())))
                        .collect(Collectors.toSet()));
    }

    private static List<String> schemas() throws IOException {
        return files(Schemas.PRESENT).stream().map(ContractTest::schema).toList();
    }

    /// The records that a fleet writes: every event, and every other record class.
    static Stream<Arguments> records() {
        return Stream.concat(
                Stream.of(TrainingEvent.class.getPermittedSubclasses())
                        .map(event -> Arguments.of(
                                "job-"
                                        + event.getSimpleName()
                                                .replaceAll("(?<=.)([A-Z])", "-$1")
                                                .toLowerCase(Locale.ROOT),
                                event,
                                Set.of("type", "time"))),
                Stream.of(
                        Arguments.of("job-control", Control.class, Set.of()),
                        Arguments.of("job-metric", MetricValues.class, Set.of()),
                        Arguments.of("job-ownership", Ownership.class, Set.of()),
                        Arguments.of("worker-status", WorkerStatus.class, Set.of())));
    }

    /// A field that may be null is absent then.
    @ParameterizedTest
    @MethodSource("records")
    void aSchemaHasTheFieldsOfItsRecord(String name, Class<?> record, Set<String> more) throws IOException {
        Set<String> fields = new TreeSet<>(more);
        Set<String> required = new TreeSet<>(more);
        for (RecordComponent field : record.getRecordComponents()) {
            fields.add(field.getName());
            if (!field.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                required.add(field.getName());
            }
        }
        JsonNode schema = SCHEMAS.read(name);
        assertThat(schema.path("properties").fieldNames()).toIterable().containsExactlyInAnyOrderElementsOf(fields);
        assertThat(schema.path("required")).extracting(JsonNode::asText).containsExactlyInAnyOrderElementsOf(required);
    }

    /// The examples in docs/reference/topics.md.
    @Test
    void examplesAreThoseOfThePage() throws IOException {
        Page page = Page.read("docs/reference/topics.md");
        for (Path example : examples()) {
            JsonNode json = MAPPER.readTree(Files.readAllBytes(example));
            if (json.has("type") && example.toString().endsWith(schema(example) + ".json")) {
                String title = "### `%s`".formatted(json.path("type").asText());
                assertThat(MAPPER.readTree(page.section(title).code("json").getFirst()))
                        .as("%s", example)
                        .isEqualTo(json);
            }
        }
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
                .containsAll(schemas().stream()
                        .filter(name -> !name.equals("job-file"))
                        .toList());
    }

    /// The jobs in the docs.
    @Test
    void theDocsJobsAreValid() throws IOException {
        List<String> jobs = new ArrayList<>();
        for (String page : List.of("how-to/projects.md", "reference/jobs.md", "reference/sweeps.md")) {
            for (String json : Page.read("docs/" + page).code("json")) {
                jobs.add(json);
                JobSpec job = JobJson.read(json.getBytes(UTF_8));
                assertThat(job.sweep() == null ? List.of(job) : Trials.of(job)).isNotEmpty();
            }
        }
        for (Path file : files(Path.of("docs/examples"))) {
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

    /// Workers refuse these commands, too.
    @ParameterizedTest
    @MethodSource("broken")
    void refusesBrokenRecords(Broken broken) throws IOException {
        assertThat(SCHEMAS.mistakes(broken.schema(), broken.json())).isNotEmpty();
        if (broken.schema().equals("job-requested")) {
            JsonNode job = MAPPER.readTree(broken.json());
            assertThatThrownBy(() -> JobJson.read(job)).isInstanceOf(InvalidJobException.class);
        }
    }

    @Test
    void eachSchemaRefusesInvalidRecords() throws IOException {
        assertThat(broken())
                .extracting(Broken::schema)
                .containsAll(schemas().stream()
                        .filter(name -> !name.equals("job-rejected"))
                        .toList());
    }
}
