package io.trainyard.tracking;

import io.trainyard.event.JobState.Status;
import org.jspecify.annotations.Nullable;

/// How many jobs that have not ended are alike.
///
/// @param wants the kind of device that they ask for; null where their commands are not known
/// @param topic the full name of the topic with their newest commands; null where it is not known
public record UnderWay(
        Status status, @Nullable String wants, @Nullable String topic, long jobs) {}
