package io.trainyard.worker;

import io.trainyard.event.EventJson;
import io.trainyard.event.TimestampedEvent;
import io.trainyard.event.TrainingEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/// An event as it is published. Its JSON is written once, when the event happens.
///
/// @param worker the sender: readers only accept events of an attempt's owner
record SerializedEvent(TrainingEvent event, Instant time, byte[] json, String worker) {
    static SerializedEvent of(TrainingEvent event, Instant time, String worker) {
        return new SerializedEvent(event, time, EventJson.write(event, time), worker);
    }

    /// A line that is stored in a job's folder.
    ///
    /// @param now the time of an event without one
    /// @throws IOException if it is not an event
    static SerializedEvent read(byte[] json, Instant now, AttemptOwners owners) throws IOException {
        TimestampedEvent stamped = EventJson.readEvent(json);
        TrainingEvent event = stamped.event();
        String worker = owners.of(event.attempt());
        return new SerializedEvent(event, stamped.time() == null ? now : stamped.time(), json, worker);
    }

    String text() {
        return new String(json, StandardCharsets.UTF_8);
    }
}
