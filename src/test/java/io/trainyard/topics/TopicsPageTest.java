package io.trainyard.topics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.Page;
import io.trainyard.event.Control;
import io.trainyard.event.EventJson;
import io.trainyard.event.MetricValues;
import io.trainyard.event.TimestampedEvent;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.WorkerStatus;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.JobSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Checks docs/reference/topics.md against the code: topics and settings, all events with their fields, and examples
/// that equal the code's output.
class TopicsPageTest {
    private static final Page PAGE = Page.read("docs/reference/topics.md");
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final String BROKERS_DEFAULT = "the brokers' default";

    static Stream<Class<?>> events() {
        return Arrays.stream(TrainingEvent.class.getPermittedSubclasses());
    }

    /// @param settings partitions, retention and the largest record, as on the page
    private record Row(String topic, List<String> settings) {}

    @Test
    void tableOfTopicsMatchesTheCode() {
        List<Row> found = PAGE.tableOf("topic").table().stream()
                .flatMap(row -> Page.code(row, 0).stream().map(topic -> new Row(topic, row.subList(3, 6))))
                .toList();
        assertThat(found)
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(Topic.values())
                        .map(topic -> new Row(
                                topic.name(""), List.of(partitions(topic), retention(topic), largestRecord(topic))))
                        .toList());
    }

    private static String partitions(Topic topic) {
        return topic.partitions().map(String::valueOf).orElse(BROKERS_DEFAULT);
    }

    private static String retention(Topic topic) {
        return switch (String.valueOf(topic.settings().get("cleanup.policy"))) {
            case "compact" -> "the last of each key";
            case "delete" -> {
                long millis = Long.parseLong(topic.settings().getOrDefault("retention.ms", "0"));
                yield millis < 0 ? "for ever" : Duration.ofMillis(millis).toDays() + " days";
            }
            default -> "?";
        };
    }

    private static String largestRecord(Topic topic) {
        String bytes = topic.settings().get("max.message.bytes");
        return bytes == null ? BROKERS_DEFAULT : (Integer.parseInt(bytes) >> 20) + " MiB";
    }

    @Test
    void everyEventHasASection() {
        assertThat(PAGE.section("## Events").sections(3).keySet())
                .containsExactlyElementsOf(events().map(TopicsPageTest::title).toList());
    }

    /// The first fields of all events are listed once.
    @ParameterizedTest
    @MethodSource("events")
    void tablesOfEventsMatchTheCode(Class<?> event) {
        List<String> fields = new ArrayList<>(fields(event));
        fields.add(2, "time: text"); // not in the record class, because the code keeps it next to the event
        List<String> found = new ArrayList<>(fields(PAGE.section("## Events")));
        if (section(event).hasTable()) {
            found.addAll(fields(section(event)));
        }
        assertThat(found).isEqualTo(fields);
    }

    @Test
    void controlRequestsMatchTheCode() throws IOException {
        Page section = PAGE.section("## Control");
        assertThat(fields(section)).isEqualTo(fields(Control.class));
        JsonNode example = example(section);
        Control control = EventJson.readControl(MAPPER.writeValueAsBytes(example));
        assertThat(new String(EventJson.write(control), StandardCharsets.UTF_8)).isEqualTo(example.toString());
        assertThat(section.text()).contains("`%s`".formatted(CloudEvents.CONTROL));
    }

    @Test
    void metricsMatchTheCode() throws IOException {
        Page section = PAGE.section("## Metrics");
        assertThat(fields(section)).isEqualTo(fields(MetricValues.class));
        JsonNode example = example(section);
        MetricValues metrics = EventJson.readMetrics(MAPPER.writeValueAsBytes(example));
        assertThat(new String(EventJson.write(metrics), StandardCharsets.UTF_8)).isEqualTo(example.toString());
        assertThat(section.text()).contains("`%s`".formatted(CloudEvents.METRIC));
    }

    /// Reads and rewrites the page's examples, so that they can only be the code's output.
    @ParameterizedTest
    @MethodSource("events")
    void examplesOfEventsMatchTheCode(Class<?> type) throws IOException {
        JsonNode example = example(section(type));
        TimestampedEvent found = EventJson.readEvent(MAPPER.writeValueAsBytes(example));
        TrainingEvent event = found.event();
        assertThat(event).isInstanceOf(type);
        assertThat(new String(EventJson.write(event, Objects.requireNonNull(found.time())), StandardCharsets.UTF_8))
                .isEqualTo(example.toString());
        assertThat(section(type).text())
                .contains("Topic `%s`".formatted(Topic.of(event).name("")))
                .contains("`ce_type` `%s`".formatted(CloudEvents.type(event)));
    }

    @Test
    void heartbeatsMatchTheCode() throws IOException {
        Page section = PAGE.section("## Workers");
        assertThat(fields(section)).isEqualTo(fields(WorkerStatus.class));
        JsonNode example = example(section);
        WorkerStatus status = EventJson.readStatus(MAPPER.writeValueAsBytes(example));
        assertThat(new String(EventJson.write(status), StandardCharsets.UTF_8)).isEqualTo(example.toString());
        assertThat(example).hasSameSizeAs(WorkerStatus.class.getRecordComponents());
    }

    private static Page section(Class<?> event) {
        return PAGE.section("### " + title(event));
    }

    private static String title(Class<?> event) {
        String name = event.getSimpleName();
        return "`" + Character.toLowerCase(name.charAt(0)) + name.substring(1) + "`";
    }

    private static JsonNode example(Page section) throws IOException {
        return MAPPER.readTree(section.code("json").getFirst());
    }

    /// Names and types of the page, in order.
    private static List<String> fields(Page section) {
        return section.tableOf("field").table().stream()
                .map(row -> Page.code(row, 0).getFirst() + ": " + row.get(1))
                .toList();
    }

    private static List<String> fields(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(field -> "%s: %s%s"
                        .formatted(
                                field.getName(),
                                typeInJson(field.getType()),
                                field.getAnnotatedType().isAnnotationPresent(Nullable.class) ? " or absent" : ""))
                .toList();
    }

    private static String typeInJson(Class<?> type) {
        if (type == String.class || type == CheckpointName.class || type == Instant.class || type.isEnum()) {
            return "text";
        } else if (type == int.class || type == long.class || type == Integer.class || type == Long.class) {
            return "whole number";
        } else if (type == double.class || type == Double.class) {
            return "number";
        } else if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        } else if (type == float[].class || type == double[].class) {
            return "list of numbers";
        } else if (type == int[][].class) {
            return "list of lists of whole numbers";
        } else if (type == List.class) {
            return "list of objects";
        } else if (type == Map.class
                || type == WorkerStatus.Fetching.class
                || type == JobSpec.class
                || type == TrainingEvent.EpochTested.class
                || type == TrainingEvent.EpochTime.class
                || type == TrainingEvent.Dataset.class) {
            return "object";
        }
        throw new IllegalArgumentException("the page has no word for " + type);
    }
}
