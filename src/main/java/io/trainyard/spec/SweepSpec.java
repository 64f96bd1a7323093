package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The fields that a sweep varies: all combinations of lists, or random draws if the job sets `random`.
///
/// @param fields by their paths in the job, such as `optimizer.learningRate`, in the given order
public record SweepSpec(Map<String, SweepValues> fields) {
    /// More fields make the cause of a difference unclear.
    public static final int MAX_FIELDS = 16;

    static final String PATH = "[A-Za-z0-9]+(\\.[A-Za-z0-9]+)*";

    private static final String EXAMPLE =
            "an object such as {\"optimizer.learningRate\": [0.1, 0.01], \"batchSize\": [16, 32]}";

    public SweepSpec {
        if (fields.isEmpty() || fields.size() > MAX_FIELDS) {
            throw new InvalidJobException(
                    "sweep has %d fields; allowed is 1 to %d".formatted(fields.size(), MAX_FIELDS));
        }
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static SweepSpec read(JsonNode json) {
        if (!json.isObject()) {
            throw new InvalidJobException(
                    "sweep is %s; it must be %s".formatted(Check.shortened(json.toString()), EXAMPLE));
        }
        Map<String, SweepValues> fields = new LinkedHashMap<>();
        json.properties()
                .forEach(field -> fields.put(
                        Check.matching(
                                "a field of sweep",
                                field.getKey(),
                                PATH,
                                "the path of a field of the job, names with dots between them, such as \"optimizer.learningRate\" or, for an entry of a list, \"network.layers.0.out\""),
                        SweepValues.read("sweep." + field.getKey(), field.getValue())));
        return new SweepSpec(fields);
    }

    /// Whether a field is drawn from a range, so that combinations cannot be enumerated.
    public boolean hasRanges() {
        return firstRange() != null;
    }

    /// The path of a field that is drawn from a range; null if there is none.
    @Nullable
    String firstRange() {
        return fields.entrySet().stream()
                .filter(field -> field.getValue() instanceof SweepValues.Range)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    @JsonValue
    Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        fields.forEach((path, values) -> json.put(path, values.json()));
        return json;
    }
}
