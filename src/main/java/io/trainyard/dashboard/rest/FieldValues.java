package io.trainyard.dashboard.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import io.trainyard.spec.JobField;
import io.trainyard.tracking.JobQuery;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.TrackingStore;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The values of some fields of many jobs: of their commands, or else of their summaries as REST names them, such as
/// `bestTestAccuracy`.
final class FieldValues {
    /// A longer value, as of a network's layers, is cut.
    private static final int MAX_VALUE = 200;

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final Map<String, Map<String, JsonNode>> values = new HashMap<>();
    private final Set<String> paths = new TreeSet<>();

    /// Numbers by their value, then texts; jobs without a value last in both orders.
    static Comparator<@Nullable JsonNode> order(boolean descending) {
        Comparator<JsonNode> order = Comparator.<JsonNode, Double>comparing(
                        value -> value.isNumber() ? value.doubleValue() : Double.POSITIVE_INFINITY)
                .thenComparing(JobField::text);
        return Comparator.nullsLast(descending ? order.reversed() : order);
    }

    /// @param fields the fields that are kept
    static FieldValues of(TrackingStore store, JobQuery query, Set<String> fields) {
        FieldValues found = new FieldValues();
        store.eachCommand(query, (job, command) -> found.add(job, command, fields));
        return found;
    }

    private void add(String job, String command, Set<String> fields) {
        try {
            Map<String, JsonNode> kept = new LinkedHashMap<>();
            JobField.values(MAPPER.readTree(command)).forEach((path, value) -> {
                paths.add(path);
                if (fields.contains(path)) {
                    kept.put(path, shortened(value));
                }
            });
            values.put(job, kept);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a job is written as JSON", e);
        }
    }

    private static JsonNode shortened(JsonNode value) {
        return value.isValueNode() && !value.isTextual()
                ? value
                : TextNode.valueOf(JobField.shortened(JobField.text(value), MAX_VALUE));
    }

    /// All paths of fields of the commands, sorted.
    Set<String> paths() {
        return paths;
    }

    /// Of its command.
    Map<String, JsonNode> of(String job) {
        return values.getOrDefault(job, Map.of());
    }

    @Nullable
    JsonNode of(JobSummary job, String path) {
        JsonNode value = of(job.job()).get(path);
        return value != null
                ? value
                : path.contains(".") ? null : MAPPER.valueToTree(job).get(path);
    }
}
