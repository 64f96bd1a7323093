package io.trainyard.event;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A worker's heartbeat.
///
/// @param device the device's name, such as `cpu`
/// @param job the job it runs; null when idle
/// @param imagesPerSecond training samples a second at present; 0 when idle
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
        @Nullable Integer contract) {
    /// A data set on its way.
    ///
    /// @param bytes of it that have come
    /// @param ofBytes all of it
    public record Fetching(String dataset, long bytes, long ofBytes) {}
}
