package io.trainyard.event;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An event with its time.
public record TimestampedEvent(
        TrainingEvent event, @Nullable Instant time) {}
