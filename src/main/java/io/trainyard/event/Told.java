package io.trainyard.event;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An event and when it happened.
///
/// @param time null: it does not say
public record Told(TrainingEvent event, @Nullable Instant time) {}
