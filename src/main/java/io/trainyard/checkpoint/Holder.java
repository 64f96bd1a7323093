package io.trainyard.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/// Who an attempt belongs to.
///
/// @param worker its id
/// @param place of the command that the attempt was made for, as `topic-partition@offset`; empty outside a fleet
/// @param delivery how often that command had been delivered; 0 outside a fleet
public record Holder(String worker, String place, int delivery) {
    private static final JsonMapper MAPPER = new JsonMapper();

    /// Of an attempt that no command asked for.
    static Holder outsideAFleet(String worker) {
        return new Holder(worker, "", 0);
    }

    byte[] write() {
        try {
            return MAPPER.writeValueAsBytes(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a holder is always writable", e);
        }
    }

    /// @throws IOException if it is not what [#write] wrote
    public static Holder read(byte[] json) throws IOException {
        Holder holder = MAPPER.readValue(json, Holder.class);
        if (holder == null || holder.worker() == null || holder.place() == null) {
            throw new IOException("it does not name a worker and a place");
        }
        return holder;
    }
}
