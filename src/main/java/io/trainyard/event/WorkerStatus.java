package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A worker's heartbeat.
///
/// @param device the device's name, such as `cpu`
/// @param imagesPerSecond training samples a second at present, of all its jobs; 0 when idle
/// @param memoryBytes resident memory of the worker's process
/// @param checkpointFailures checkpoints that could not be written since the process began
/// @param stopping true in its last heartbeat
/// @param store the identity of its checkpoint store; null in a heartbeat that does not tell it
/// @param since when the worker began to belong to the fleet; null while it does not, and where that is not told
/// @param problem why it takes no jobs at present; null: it does
/// @param fetching the data set that it brings to its machine; null: none
/// @param version of Trainyard
/// @param contract the newest [contract][io.trainyard.spec.JobContract] of commands that it understands
/// @param readings what its devices' drivers say of them, one of each; null where they say nothing
/// @param slots how many jobs it has room for, those that it has included
/// @param jobs all that it has; empty when idle
/// @param used what projects have used lately, in device-seconds, those that used most: what workers that are new
///     cannot know; null where nothing is counted, and while it is new itself
@JsonIgnoreProperties(ignoreUnknown = true)
public record WorkerStatus(
        String worker,
        String device,
        double imagesPerSecond,
        long memoryBytes,
        int checkpointFailures,
        boolean stopping,
        @Nullable String store,
        @Nullable Instant since,
        @Nullable String problem,
        @Nullable Fetching fetching,
        String version,
        int contract,
        @Nullable List<Reading> readings,
        int slots,
        List<Job> jobs,
        @Nullable Map<String, Double> used) {
    /// A job that a worker has.
    ///
    /// @param imagesPerSecond over its newest losses; 0 before the first
    public record Job(String job, int attempt, double imagesPerSecond) {}

    /// A data set on its way.
    ///
    /// @param bytes of it that have come
    /// @param ofBytes all of it
    public record Fetching(String dataset, long bytes, long ofBytes) {}

    /// What a device does at the moment; null for what its driver does not tell.
    ///
    /// @param device as jobs call it: `cuda:0`
    /// @param utilization the part of the last moments in which it computed something: 0 to 1
    /// @param memoryUsedBytes by whomever
    /// @param powerWatts that it draws
    /// @param energyJoules that it has drawn since its driver was loaded: differences are what counts
    public record Reading(
            String device,
            @Nullable Double utilization,
            @Nullable Long memoryUsedBytes,
            @Nullable Long memoryTotalBytes,
            @Nullable Double powerWatts,
            @Nullable Double energyJoules,
            @Nullable Double temperatureCelsius) {}
}
