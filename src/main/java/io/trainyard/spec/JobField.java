package io.trainyard.spec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// A field of commands by which jobs are grouped: `network`, `optimizer.learningRate`.
///
/// @param path names separated by dots
public record JobField(String path) {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    /// Longer values are cut, because there may be thousands of them.
    private static final int MAX_VALUE = 1_000;

    private static final int MAX_ZEROS = 12;

    /// The value as text: strings as they are, other values as JSON. A long value is cut and gets its length and
    /// hash, so that it stays distinct. Empty if the command has no value.
    ///
    /// @param command a job as [JobJson] writes it
    /// @throws IllegalArgumentException if it is not JSON
    public Optional<String> of(String command) {
        try {
            String pointer = "/" + path.replace("~", "~0").replace("/", "~1").replace('.', '/');
            JsonNode value = MAPPER.readTree(command).at(pointer);
            return value.isMissingNode() || value.isNull()
                    ? Optional.empty()
                    : Optional.of(shortened(text(value), MAX_VALUE));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no job: " + Check.shortened(command), e);
        }
    }

    /// A value for people: strings as they are, numbers without exponents such as `5.0E-4` unless they would be
    /// long, other values as JSON.
    public static String text(JsonNode value) {
        if (value.isDouble() && Double.isFinite(value.doubleValue())) {
            BigDecimal number = value.decimalValue().stripTrailingZeros();
            return Math.abs(number.precision() - number.scale()) > MAX_ZEROS
                    ? number.toString()
                    : number.toPlainString();
        }
        return value.isTextual() ? value.asText() : value.toString();
    }

    /// The values of a job by their paths, in the order of the job. A list is one value.
    public static Map<String, JsonNode> values(JsonNode job) {
        Map<String, JsonNode> values = new LinkedHashMap<>();
        collect("", job, values);
        return values;
    }

    private static void collect(String prefix, JsonNode object, Map<String, JsonNode> values) {
        object.properties().forEach(field -> {
            String path = prefix + field.getKey();
            if (field.getValue().isObject()) {
                collect(path + ".", field.getValue(), values);
            } else {
                values.put(path, field.getValue());
            }
        });
    }

    /// Long values are cut and get their length and hash.
    public static String shortened(String value, int most) {
        return value.length() <= most
                ? value
                : "%s… (%d characters, %08x)".formatted(value.substring(0, most), value.length(), value.hashCode());
    }
}
