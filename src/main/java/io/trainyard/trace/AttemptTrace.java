package io.trainyard.trace;

import io.trainyard.event.TrainingEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Receives the events of an attempt and creates its spans. Thread-safe.
public interface AttemptTrace {
    /// The `traceparent` header of its events; null for no header.
    @Nullable
    String traceParent();

    void see(TrainingEvent event, Instant time);

    void saves(long step);
}
