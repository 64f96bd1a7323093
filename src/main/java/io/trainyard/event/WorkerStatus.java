package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A worker's heartbeat.
///
/// @param device the device's name, such as `cpu`
/// @param job a job that it has: of several each in turn, for readers that know one; null when idle
/// @param imagesPerSecond training samples a second at present, of all its jobs; 0 when idle
/// @param memoryBytes resident memory of the worker's process
/// @param checkpointFailures checkpoints that could not be written since the process began
/// @param stopping true in its last heartbeat
/// @param store the identity of its checkpoint store; null in a heartbeat that does not tell it
/// @param since when the worker began to belong to the fleet; null while it does not, and where that is not told
/// @param problem why it takes no jobs at present; null: it does
/// @param fetching the data set that it brings to its machine; null: none
/// @param version of Trainyard; null where it does not tell
/// @param contract the newest [contract][io.trainyard.spec.JobContract] of commands that it understands; null where it
///     does not tell: the first
/// @param readings what its devices' drivers say of them, one of each; null where they say nothing
/// @param slots how many jobs it has at once; null where it does not tell: one
/// @param jobs all that it has; null where it tells of one alone
/// @param used what projects have used lately, in device-seconds, those that used most: what workers that are new
/// cannot
///     know; null where nothing is counted, and while it is new itself
@JsonIgnoreProperties(ignoreUnknown = true)
public record WorkerStatus(
        String worker,
        String device,
        @Nullable String job,
        @Nullable Integer attempt,
        double imagesPerSecond,
        long memoryBytes,
        int checkpointFailures,
        boolean stopping,
        @Nullable String store,
        @Nullable Instant since,
        @Nullable String problem,
        @Nullable Fetching fetching,
        @Nullable String version,
        @Nullable Integer contract,
        @Nullable List<Reading> readings,
        @Nullable Integer slots,
        @Nullable List<Job> jobs,
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

    /// All jobs that it has, whichever version tells it; empty when idle.
    public List<Job> held() {
        if (jobs != null) {
            return jobs;
        }
        return job == null || attempt == null ? List.of() : List.of(new Job(job, attempt, imagesPerSecond));
    }

    /// How many jobs it has room for, those that it has included.
    public int room() {
        return slots == null ? 1 : slots;
    }
}
