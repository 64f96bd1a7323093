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

    /// Its value as text: a text as it is, anything else as JSON. Empty where the command has none.
    ///
    /// @param command a job as [JobJson] writes it
    /// @throws IllegalArgumentException if it is no JSON
    public Optional<String> of(String command) {
        try {
            String pointer = "/" + path.replace("~", "~0").replace("/", "~1").replace('.', '/');
            JsonNode value = MAPPER.readTree(command).at(pointer);
            return value.isMissingNode() || value.isNull()
                    ? Optional.empty()
                    : Optional.of(value.isTextual() ? value.asText() : value.toString());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no job: " + command, e);
        }
    }
}
