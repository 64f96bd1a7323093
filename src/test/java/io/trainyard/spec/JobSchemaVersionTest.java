package io.trainyard.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.TypeFactory;
import io.trainyard.event.SampleEvents;
import io.trainyard.spec.JobSchemaVersion.Addition;
import io.trainyard.spec.JobSchemaVersion.Written;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class JobSchemaVersionTest {
    private static final Path SAID = Path.of("src/test/resources/io/trainyard/spec/said-in-commands.txt");
    private static final JsonMapper MAPPER = new JsonMapper();

    /// A later version: adds a field with a default, and a type.
    private static final JobSchemaVersion LATER = new JobSchemaVersion(List.of(
            new Addition(2, "", null, "dropLast"),
            new Addition(3, "network", "relu", null),
            new Addition(4, "network", "linear", "bias")));

    private static JobSpec job(String more) {
        return JobJson.read("""
                {"id": "a", "dataset": "shapes28", "epochs": 1, %s}""".formatted(more).getBytes(StandardCharsets.UTF_8));
    }

    private static Written written(JobSchemaVersion schemaVersion, JobSpec job) throws Exception {
        return schemaVersion.write(job, (ObjectNode) MAPPER.readTree(JobJson.write(job)));
    }

    @Test
    void aJobGetsTheLowestSchemaVersionWithAllItsFields() throws Exception {
        JobSpec plain = job("\"network\": \"lenet\"");
        assertThat(written(LATER, plain).schemaVersion()).isEqualTo(1);
        assertThat(written(LATER, plain).json().has("dropLast")).isFalse();
        assertThat(JobJson.read(written(LATER, plain).json())).isEqualTo(plain);

        JobSpec drops = job("\"network\": \"lenet\", \"dropLast\": true");
        assertThat(written(LATER, drops).schemaVersion()).isEqualTo(2);
        assertThat(JobJson.read(written(LATER, drops).json())).isEqualTo(drops);

        JobSpec best = job("\"network\": \"lenet\", \"initFrom\": \"b/best\"");
        assertThat(written(JobSchemaVersion.OURS, best).schemaVersion()).isEqualTo(2);

        JobSpec layers = job("\"network\": {\"layers\": [{\"type\": \"flatten\"}, {\"type\": \"relu\"}]}");
        assertThat(written(LATER, layers).schemaVersion()).isEqualTo(3);
        assertThat(written(LATER, layers).json().has("dropLast"))
                .as("schema version 3 has it")
                .isTrue();
    }

    @Test
    void reportsFieldsBeyondTheSchemaVersion() throws Exception {
        ObjectNode job = (ObjectNode) MAPPER.readTree(JobJson.write(job("\"network\": \"lenet\"")));
        LATER.requireWithin(2, job);
        assertThatThrownBy(() -> LATER.requireWithin(1, job))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(
                        "the field \"dropLast\" is not known here; it is in commands since schema version 2, and this is 1");
        assertThat(LATER.newest()).isEqualTo(4);
    }

    @Test
    void aReaderOfTheFirstSchemaVersionRefusesOnlyNewerFields() {
        JobSpec newer = SampleEvents.newer("job");
        Written written = JobJson.command(newer);
        byte[] json = written.json().toString().getBytes(StandardCharsets.UTF_8);
        assertThat(written.schemaVersion()).isEqualTo(LaterContract.NUMBER);
        assertThat(JobJson.read(json, LaterContract.NUMBER)).isEqualTo(newer);
        assertThatThrownBy(() -> JobJson.read(json, 1))
                .hasMessage(
                        "the field \"split\" of dataset is not known here; it is in commands since schema version 3, and this is 1");
        Written plain = JobJson.command(SampleEvents.spec("job"));
        assertThat(plain.schemaVersion()).isEqualTo(1);
        assertThat(JobJson.read(plain.json(), 1)).isEqualTo(SampleEvents.spec("job"));
    }

    @Test
    void anUnreadableJobHasAnId() {
        assertThat(JobJson.id("{\"id\": \"a-1\", \"unheardOf\": 1}".getBytes(StandardCharsets.UTF_8)))
                .contains("a-1");
        for (String none : List.of("", "[]", "{", "{\"id\": 7}", "{\"id\": \"../a\"}", "{\"id\": \"a/b\"}")) {
            assertThat(JobJson.id(none.getBytes(StandardCharsets.UTF_8)))
                    .as(none)
                    .isEmpty();
        }
    }

    /// All fields and types of commands with the schema version that added them. A new one must be added to
    /// [JobSchemaVersion#OURS] with the next version; otherwise older workers would dead-letter such commands.
    @Test
    void additionsRaiseTheSchemaVersion() throws Exception {
        Set<String> said = new TreeSet<>();
        collect(TypeFactory.defaultInstance().constructType(JobSpec.class), said, new LinkedHashSet<>());
        if (Boolean.getBoolean("golden.write")) {
            List<String> kept = Files.exists(SAID) ? Files.readAllLines(SAID) : List.of();
            Files.createDirectories(SAID.getParent());
            Files.write(
                    SAID,
                    said.stream()
                            .map(one -> kept.stream()
                                    .filter(line -> line.endsWith(" " + one))
                                    .findFirst()
                                    .orElse("1 " + one))
                            .toList());
        }
        List<String> known = Files.readAllLines(SAID);
        assertThat(known.stream().map(line -> line.split(" ")[1]))
                .as(
                        "all that a command may say; what is new needs an addition in JobSchemaVersion and a line in %s",
                        SAID)
                .containsExactlyInAnyOrderElementsOf(said);
        assertThat(known.stream()
                        .filter(line -> !line.startsWith("1 "))
                        .map(line -> line.split(" ")[0])
                        .distinct())
                .as("the schema versions of the additions")
                .containsExactlyInAnyOrderElementsOf(JobSchemaVersion.OURS.additions().stream()
                        .filter(addition -> !new LaterContract().additions().contains(addition))
                        .map(addition -> Integer.toString(addition.since()))
                        .distinct()
                        .toList());
    }

    private static void collect(JavaType type, Set<String> said, Set<Class<?>> seen) {
        Class<?> raw = type.getRawClass();
        if (!raw.getName().startsWith("io.trainyard.spec") || !seen.add(raw)) {
            return;
        }
        String name = raw.getName().substring("io.trainyard.spec.".length());
        if (raw.isEnum()) {
            Arrays.stream(raw.getEnumConstants()).forEach(one -> said.add(name + "=" + one));
        }
        JsonSubTypes types = raw.getAnnotation(JsonSubTypes.class);
        if (types != null) {
            for (JsonSubTypes.Type one : types.value()) {
                said.add(name + ":" + one.name());
                collect(TypeFactory.defaultInstance().constructType(one.value()), said, seen);
            }
        } else if (raw.isRecord()) {
            JobJson.fields(type).forEach(field -> said.add(name + "." + field));
            for (RecordComponent field : raw.getRecordComponents()) {
                collect(TypeFactory.defaultInstance().constructType(inner(field.getGenericType())), said, seen);
            }
        }
    }

    private static Type inner(Type type) {
        return type instanceof ParameterizedType list ? inner(list.getActualTypeArguments()[0]) : type;
    }
}
