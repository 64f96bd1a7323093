package io.trainyard.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.Page;
import io.trainyard.data.Datasets;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks docs/reference/jobs.md against the code: its tables have each field of a job with type, default and bounds,
/// and
/// its examples are valid jobs.
class JobsPageTest {
    private static final Page PAGE = Page.read("docs/reference/jobs.md");
    private static final JsonMapper MAPPER = new JsonMapper();

    private static final String JOB = """
            {"id": "a", "network": "fashion", "dataset": {"name": "shapes28"}, "epochs": 1}""";

    private static final Pattern BOUNDS = Pattern.compile("(above )?([\\d,]+) (?:up )?to ([\\d,]+)");

    /// A value of each type, by the page's names of the types.
    private static final Map<String, String> VALUES = Map.of(
            "text", "\"a text\"",
            "whole number", "3",
            "number", "0.5",
            "true or false", "true",
            "list", "[\"a\"]",
            "object", "{}");

    /// A row of a table of fields.
    ///
    /// @param within the field of the job that contains it; empty for the job itself
    record Field(String within, String name, String type, String defaultValue, String allowed) {
        /// The job with this field and the required ones only.
        ObjectNode job(String value) throws IOException {
            ObjectNode job = (ObjectNode) MAPPER.readTree(JOB);
            if (name.equals("random") || within.equals("asha")) {
                job.set("sweep", MAPPER.readTree("{\"seed\": [1, 2]}")); // required by these fields
            }
            (within.isEmpty() ? job : job.withObject("/" + within)).set(name, MAPPER.readTree(value));
            return job;
        }

        ObjectNode jobWithout() throws IOException {
            ObjectNode job = (ObjectNode) MAPPER.readTree(JOB);
            if (!within.isEmpty() && defaultValue.equals("must be given")) {
                var _ = job.withObject("/" + within);
            } else if (within.equals("asha")) {
                job.set("asha", MAPPER.createObjectNode());
                job.set("sweep", MAPPER.readTree("{\"seed\": [1, 2]}"));
            }
            if (job.at(within.isEmpty() ? "" : "/" + within) instanceof ObjectNode object) {
                object.remove(name);
            }
            return job;
        }

        /// Whether this field accepts values of another type.
        boolean takes(String other) {
            return type.equals(other)
                    || (type.equals("number") && other.equals("whole number"))
                    || (type.equals("list of texts") && other.equals("list"))
                    || (type.equals("whole number or list") && other.equals("whole number"))
                    || (type.equals("text or object") && (other.equals("text") || other.equals("object")));
        }

        boolean isNumber() {
            return type.endsWith("number");
        }

        @Override
        public String toString() {
            return within.isEmpty() ? name : within + "." + name;
        }
    }

    static List<Field> fields() {
        return Stream.of(
                        fields("", PAGE.section("## Fields").tableOf("field")),
                        fields("dataset", PAGE.section("### `dataset`")),
                        fields("clipGradients", PAGE.section("### `clipGradients`")),
                        fields("ema", PAGE.section("### `ema`")),
                        fields("stopWhen", PAGE.section("### `stopWhen`")),
                        fields("asha", PAGE.section("### `asha`")))
                .flatMap(List::stream)
                .toList();
    }

    private static List<Field> fields(String within, Page page) {
        return page.table().stream()
                .map(row -> new Field(
                        within,
                        Page.code(row, 0).getFirst(),
                        row.get(1),
                        row.get(2),
                        row.get(3).replace("`", "")))
                .toList();
    }

    static List<Field> numbers() {
        return fields().stream().filter(Field::isNumber).toList();
    }

    @Test
    void everyFieldHasARow() {
        assertThat(fields())
                .extracting(Field::toString)
                .containsExactlyElementsOf(Stream.of(
                                components("", JobSpec.class),
                                components("dataset.", DatasetSpec.class),
                                components("clipGradients.", ClipSpec.class),
                                components("ema.", EmaSpec.class),
                                components("stopWhen.", StopWhen.class),
                                components("asha.", AshaSpec.class))
                        .flatMap(names -> names)
                        .toList());
    }

    private static Stream<String> components(String prefix, Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getName)
                .map(prefix::concat);
    }

    @ParameterizedTest
    @MethodSource("fields")
    void aValueOfAnotherTypeIsRefused(Field field) throws IOException {
        for (var value : VALUES.entrySet()) {
            ObjectNode job = field.job(value.getValue());
            if (!field.takes(value.getKey())) {
                assertThatThrownBy(() -> JobJson.read(job)).as(value.getKey()).isInstanceOf(InvalidJobException.class);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("fields")
    void missingFieldsHaveTheDefaultsOfThePage(Field field) throws IOException {
        ObjectNode without = field.jobWithout();
        if (field.defaultValue().equals("must be given")) {
            assertThatThrownBy(() -> JobJson.read(without)).hasMessageContaining(field + " is missing");
        } else if (field.defaultValue().equals("none")) {
            JsonNode written = MAPPER.readTree(JobJson.write(JobJson.read(without)));
            assertThat(written.at("/" + field.toString().replace('.', '/')).isMissingNode())
                    .isTrue();
        } else {
            String value = field.defaultValue().replace("`", "");
            assertThat(JobJson.read(field.job(value))).isEqualTo(JobJson.read(without));
        }
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void numbersHaveTheBoundsOfThePage(Field field) throws IOException {
        Matcher bounds =
                BOUNDS.matcher(field.name().equals("seed") ? "%d to %d".formatted(0, Long.MAX_VALUE) : field.allowed());
        assertThat(bounds.lookingAt()).as("%s: %s", field, field.allowed()).isTrue();
        BigDecimal low = number(bounds.group(2));
        BigDecimal high = number(bounds.group(3));
        BigDecimal little = field.type().equals("number") ? new BigDecimal("0.001") : BigDecimal.ONE;
        boolean above = bounds.group(1) != null;
        requireTaken(field, above ? low.add(little) : low);
        requireTaken(field, high);
        requireRefused(field, high.add(little));
        if (!field.name().equals("seed")) {
            requireRefused(field, above ? low : low.subtract(little));
        }
    }

    @Test
    void aSeedMayBeAnyNumberOf64Bits() throws IOException {
        Field seed = numbers().stream()
                .filter(field -> field.name().equals("seed"))
                .findFirst()
                .orElseThrow();
        assertThat(seed.allowed()).isEqualTo("any of 64 bits");
        requireTaken(seed, BigDecimal.valueOf(Long.MIN_VALUE));
        requireRefused(seed, BigDecimal.valueOf(Long.MIN_VALUE).subtract(BigDecimal.ONE));
    }

    private static void requireTaken(Field field, BigDecimal value) throws IOException {
        ObjectNode job = field.job(value.toPlainString());
        assertThatCode(() -> JobJson.read(job)).as("%s %s", field, value).doesNotThrowAnyException();
    }

    private static void requireRefused(Field field, BigDecimal value) throws IOException {
        ObjectNode job = field.job(value.toPlainString());
        assertThatThrownBy(() -> JobJson.read(job)).as("%s %s", field, value).isInstanceOf(InvalidJobException.class);
    }

    private static BigDecimal number(String written) {
        return new BigDecimal(written.replace(",", ""));
    }

    @Test
    void thePageListsAllNames() {
        Page networks = Page.read("docs/reference/networks.md");
        assertThat(allowed("network"))
                .containsAll(BuiltInNetworks.names())
                .hasSize(BuiltInNetworks.names().size() + 2);
        assertThat(allowed("dataset")).containsExactlyElementsOf(Datasets.names());
        assertThat(allowed("loss")).isEqualTo(titles(networks.section("## Losses")));
        assertThat(allowed("optimizer")).isEqualTo(titles(networks.section("## Optimizers")));
        assertThat(allowed("schedule")).containsExactlyInAnyOrderElementsOf(titles(networks.section("## Schedules")));
        assertThat(allowed("precision")).isEqualTo(names(Precision.values()));
        assertThat(allowed("kind")).containsExactly("train", "evaluate").hasSameSizeAs(JobKind.values());
        assertThat(first(PAGE.section("### Precision"))).isEqualTo(names(Precision.values()));
        assertThat(first(PAGE.section("## Devices")).subList(0, 4)).isSubsetOf(allowed("device"));
    }

    @Test
    void aJobThatEvaluatesHasTheFieldsOfThePage() {
        String text = PAGE.section("## Evaluation jobs").text();
        List<String> published = Pattern.compile("`(\\w+)`")
                .matcher(text.substring(text.indexOf("Allowed fields"), text.indexOf("; other fields")))
                .results()
                .map(field -> field.group(1))
                .toList();
        assertThat(published)
                .containsExactlyElementsOf(components("", JobSpec.class)
                        .filter(JobKind.EVALUATE::has)
                        .toList());
    }

    @Test
    void theExamplesAreJobsAndTheSecondIsTheFirstWrittenOut() throws IOException {
        List<JobSpec> examples = PAGE.code("json").stream()
                .map(json -> JobJson.read(json.getBytes(StandardCharsets.UTF_8)))
                .toList();
        assertThat(examples).hasSizeGreaterThan(4);
        assertThat(MAPPER.readTree(JobJson.write(examples.getFirst())))
                .isEqualTo(MAPPER.readTree(PAGE.code("json").get(1)));
    }

    @Test
    void theLimitsAreThoseOfTheCode() {
        assertThat(JobJson.MAX_BYTES).isEqualTo(1 << 20);
        assertThat(PAGE.text())
                .contains(
                        "at most 1 MiB",
                        "at most %d deep".formatted(JobJson.MAX_NESTING),
                        "at most %d layers".formatted(NetworkSpec.MAX_LAYERS));
    }

    /// Values in code or quotes in the page's column of allowed values.
    private static List<String> allowed(String field) {
        List<String> row = PAGE.section("## Fields").table().stream()
                .filter(cells -> cells.getFirst().equals("`" + field + "`"))
                .findFirst()
                .orElseThrow();
        return Page.code(row, 3).stream().map(code -> code.replace("\"", "")).toList();
    }

    private static List<String> first(Page page) {
        return page.table().stream().map(row -> Page.code(row, 0).getFirst()).toList();
    }

    private static List<String> titles(Page page) {
        return page.sections(3).keySet().stream()
                .map(title -> title.replace("`", ""))
                .toList();
    }

    private static List<String> names(Object[] values) {
        return Arrays.stream(values).map(String::valueOf).toList();
    }
}
