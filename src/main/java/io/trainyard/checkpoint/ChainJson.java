package io.trainyard.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// The JSON of chain links. `type` is the type of an event, or `owner`.
final class ChainJson {
    private static final String OWNER = "owner";
    private static final String PAUSE = "paused";
    private static final List<String> ENDS = List.of("finished", "failed", "cancelled", "expanded");
    private static final JsonMapper MAPPER = new JsonMapper();

    private ChainJson() {}

    static byte[] write(ChainLink.Owner owner) {
        try {
            return MAPPER.writeValueAsBytes(MAPPER.createObjectNode()
                    .put("type", OWNER)
                    .put("worker", owner.worker())
                    .put("place", owner.place())
                    .put("delivery", owner.delivery())
                    .put("token", owner.token()));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an owner is always writable", e);
        }
    }

    static ChainLink read(byte[] json) throws IOException {
        JsonNode node = MAPPER.readTree(json);
        String type = node.path("type").asText();
        if (type.equals(OWNER)) {
            return owner(node);
        }
        String event = new String(json, StandardCharsets.UTF_8);
        if (type.equals(PAUSE)) {
            return new ChainLink.Pause(event);
        }
        if (ENDS.contains(type)) {
            return new ChainLink.End(event);
        }
        throw new IOException(
                "its type is \"%s\"; allowed is %s, %s, or one of %s".formatted(type, OWNER, PAUSE, ENDS));
    }

    /// The type of a link's event.
    static String type(String event) {
        try {
            return MAPPER.readTree(event).path("type").asText();
        } catch (JsonProcessingException e) {
            throw new CheckpointException("an event is not JSON: " + e.getMessage(), e);
        }
    }

    private static ChainLink.Owner owner(JsonNode json) throws IOException {
        JsonNode worker = json.path("worker");
        JsonNode place = json.path("place");
        JsonNode token = json.path("token");
        if (!worker.isTextual() || !place.isTextual() || !token.isTextual()) {
            throw new IOException("it does not name a worker, a place and a token");
        }
        return new ChainLink.Owner(
                worker.textValue(), place.textValue(), json.path("delivery").asInt(), token.textValue());
    }
}
