package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

public sealed interface SweepValues {
    record Choices(List<JsonNode> values) implements SweepValues {
        /// The limit of trials.
        static final int MAX = JobLimits.MAX_TRIALS;

        public Choices {
            values = List.copyOf(values);
        }

        @Override
        public Object json() {
            return values;
        }
    }

    /// A number drawn from a range, both bounds included; an integer if the field requires it.
    record Range(double min, double max, Scale scale) implements SweepValues {
        @Override
        public Object json() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("min", min);
            json.put("max", max);
            json.put("scale", scale);
            return json;
        }
    }

    enum Scale {
        /// Uniform.
        @JsonProperty("linear")
        LINEAR,
        /// Uniform in the logarithm: as many from 0.001 to 0.01 as from 0.01 to 0.1.
        @JsonProperty("log")
        LOG
    }

    /// The JSON form.
    Object json();

    /// @param field for messages
    static SweepValues read(String field, JsonNode json) {
        if (json.isArray()) {
            return choices(field, json);
        }
        if (!json.isObject()) {
            throw new InvalidJobException(
                    "%s is %s; it must be a list of values, or a range such as {\"min\": 0.001, \"max\": 0.1, \"scale\": \"log\"}"
                            .formatted(field, Check.shortened(json.toString())));
        }
        json.fieldNames().forEachRemaining(name -> {
            if (!Set.of("min", "max", "scale").contains(name)) {
                throw new InvalidJobException("the field \"%s\" of %s is not known; allowed is max, min, scale"
                        .formatted(Check.shortened(name), field));
            }
        });
        Scale scale = scale(field, json.path("scale"));
        double min = number(field + ".min", json.path("min"));
        double max = number(field + ".max", json.path("max"));
        if (!(min < max)) {
            throw new InvalidJobException("%s.min is %s; it must be below max, %s".formatted(field, min, max));
        }
        if (scale == Scale.LOG && !(min > 0)) {
            throw new InvalidJobException(
                    "%s.min is %s; on a logarithmic scale it must be above 0, or give it the scale \"linear\""
                            .formatted(field, min));
        }
        return new Range(min, max, scale);
    }

    private static Choices choices(String field, JsonNode json) {
        if (json.isEmpty() || json.size() > Choices.MAX) {
            throw new InvalidJobException(
                    "%s has %d values; allowed is 1 to %d".formatted(field, json.size(), Choices.MAX));
        }
        Set<Object> given = new HashSet<>();
        json.forEach(value -> {
            if (value.isNull()) {
                throw new InvalidJobException(field + " has an entry that is null; give each a value");
            }
            if (!given.add(value.isNumber() ? value.decimalValue().stripTrailingZeros() : value)) {
                throw new InvalidJobException("%s has %s twice, which would be two trials that are alike; give it once"
                        .formatted(field, Check.shortened(value.toString())));
            }
        });
        return new Choices(json.valueStream().toList());
    }

    private static double number(String field, JsonNode json) {
        if (json.isMissingNode() || json.isNull()) {
            throw new InvalidJobException(field + " is missing; give it a value");
        }
        if (!json.isNumber() || !Double.isFinite(json.doubleValue())) {
            throw new InvalidJobException(
                    "%s is %s; it must be a number".formatted(field, Check.shortened(json.toString())));
        }
        return json.doubleValue();
    }

    private static Scale scale(String field, JsonNode json) {
        if (json.isMissingNode() || json.isNull()) {
            return Scale.LINEAR;
        }
        return switch (json.isTextual() ? json.textValue() : "") {
            case "linear" -> Scale.LINEAR;
            case "log" -> Scale.LOG;
            default ->
                throw new InvalidJobException("%s.scale is %s; allowed is \"linear\" or \"log\""
                        .formatted(field, Check.shortened(json.toString())));
        };
    }
}
