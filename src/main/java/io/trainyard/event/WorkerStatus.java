package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A worker's heartbeat.
///
/// @param device the device's name, such as `cpu`
/// @param samplesPerSecond current training samples per second of all its jobs; 0 if idle
/// @param memoryBytes resident memory of the worker's process
/// @param checkpointFailures checkpoints that could not be written since the process started
/// @param stopping true in its last heartbeat
/// @param store the identity of its checkpoint store; null if unknown
/// @param since when the worker joined the fleet; null before that and if unknown
/// @param problem why it claims no jobs at present; null if it does
/// @param fetching the dataset that it downloads, if any
/// @param schemaVersion the newest [schemaVersion][io.trainyard.spec.JobSchemaVersion] of commands that it supports
/// @param readings one per device, from their drivers; null if the drivers have no data
/// @param slots the maximum number of jobs at the same time
/// @param used recent use per project in device-seconds, for the projects with the most use. New workers
///     initialize their own counters from it. Null if use is not counted, and while the worker is new itself
@JsonIgnoreProperties(ignoreUnknown = true)
public record WorkerStatus(
        String worker,
        String device,
        double samplesPerSecond,
        long memoryBytes,
        int checkpointFailures,
        boolean stopping,
        @Nullable String store,
        @Nullable Instant since,
        @Nullable String problem,
        @Nullable Fetching fetching,
        String version,
        int schemaVersion,
        @Nullable List<Reading> readings,
        int slots,
        List<Job> jobs,
        @Nullable Map<String, Double> used) {
    /// A job of a worker.
    ///
    /// @param samplesPerSecond from its newest losses; 0 before the first
    public record Job(String job, int attempt, double samplesPerSecond) {}

    /// The download of a dataset.
    public record Fetching(String dataset, long bytes, long totalBytes) {}

    /// The state of a device; null for values that its driver does not report.
    ///
    /// @param device as in jobs: `cuda:0`
    /// @param utilization the part of the last sampling period in which it was computing, 0 to 1
    /// @param memoryUsedBytes by all processes
    /// @param energyJoules energy used since its driver was loaded; only differences are meaningful
    public record Reading(
            String device,
            @Nullable Double utilization,
            @Nullable Long memoryUsedBytes,
            @Nullable Long memoryTotalBytes,
            @Nullable Double powerWatts,
            @Nullable Double energyJoules,
            @Nullable Double temperatureCelsius) {}
}
