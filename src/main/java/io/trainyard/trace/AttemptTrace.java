package io.trainyard.trace;

import io.trainyard.event.TrainingEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// What is traced of an attempt. Used by several threads.
public interface AttemptTrace {
    /// The `traceparent` of its events; null: they have none.
    @Nullable
    String traceParent();

    void see(TrainingEvent event, Instant time);

    void saves(long step);
}
