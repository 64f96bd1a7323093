package io.trainyard.tracking;

import io.trainyard.event.JobState.Status;
import org.jspecify.annotations.Nullable;

/// The number of unfinished jobs with the same status, device kind and topic.
///
/// @param wants the requested kind of device; null if the command is unknown
/// @param topic the full name of the topic with the newest command; null if unknown
public record UnfinishedJobs(
        Status status, @Nullable String wants, @Nullable String topic, long jobs) {}
