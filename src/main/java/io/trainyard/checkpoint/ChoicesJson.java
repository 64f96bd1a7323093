package io.trainyard.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.device.DeviceChoices;
import java.util.Map;

/// The JSON of device choices: an object per kind of device.
final class ChoicesJson {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();
    private static final TypeReference<Map<String, Map<String, String>>> BY_KIND = new TypeReference<>() {};

    private ChoicesJson() {}

    static String write(DeviceChoices choices) {
        try {
            return MAPPER.writeValueAsString(choices.byKind());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /// @param from the source, for the message
    /// @throws CheckpointException if it cannot be parsed
    static DeviceChoices read(String json, String from) {
        try {
            return new DeviceChoices(MAPPER.readValue(json, BY_KIND));
        } catch (JsonProcessingException e) {
            throw new CheckpointException("%s cannot be read: %s".formatted(from, e.getMessage()), e);
        }
    }
}
