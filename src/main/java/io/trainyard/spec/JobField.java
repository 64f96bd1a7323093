package io.trainyard.spec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Optional;

/// A field of commands by which jobs are grouped: `network`, `optimizer.learningRate`.
///
/// @param path names separated by dots
public record JobField(String path) {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    /// Longer values are cut, because there may be thousands of them.
    private static final int MAX_VALUE = 1_000;

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
                    : Optional.of(shortened(value.isTextual() ? value.asText() : value.toString()));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no job: " + Check.shortened(command), e);
        }
    }

    private static String shortened(String value) {
        return value.length() <= MAX_VALUE
                ? value
                : "%s… (%d characters, %08x)"
                        .formatted(value.substring(0, MAX_VALUE), value.length(), value.hashCode());
    }
}
