package io.trainyard.spec;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.Optional;

/// A field of commands, by which jobs fall into groups: `network`, `optimizer.learningRate`.
///
/// @param path names, with dots between them
public record JobField(String path) {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    /// A longer value is cut: there may be thousands of it.
    private static final int MAX_VALUE = 1_000;

    /// Its value as text: a text as it is, anything else as JSON; a long one cut, with a number that tells it from
    /// others.
    /// Empty where the command has none.
    ///
    /// @param command a job as [JobJson] writes it
    /// @throws IllegalArgumentException if it is no JSON
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
