package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.jspecify.annotations.Nullable;

/// A worker's heartbeat.
///
/// @param device the device's name, such as `cpu`
/// @param job the job it runs; null when idle
/// @param imagesPerSecond training samples a second at present; 0 when idle
/// @param memoryBytes resident memory of the worker's process
/// @param stopping true in its last heartbeat
@JsonIgnoreProperties(ignoreUnknown = true)
public record WorkerStatus(
        String worker,
        String device,
        @Nullable String job,
        @Nullable Integer attempt,
        double imagesPerSecond,
        long memoryBytes,
        boolean stopping) {}
