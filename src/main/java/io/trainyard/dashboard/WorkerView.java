package io.trainyard.dashboard;

import io.trainyard.event.WorkerStatus;
import org.jspecify.annotations.Nullable;

/// A worker as a row of the table.
///
/// @param job the job it runs; null when idle
/// @param lastSeenMillis when its last heartbeat was sent, since 1970
/// @param gone unseen for so long that it must have ended without a word
public record WorkerView(
        String worker,
        String device,
        @Nullable String job,
        double imagesPerSecond,
        long memoryBytes,
        long lastSeenMillis,
        boolean gone) {

    static WorkerView of(WorkerStatus status, long lastSeenMillis, boolean gone) {
        return new WorkerView(
                status.worker(),
                status.device(),
                status.job(),
                status.imagesPerSecond(),
                status.memoryBytes(),
                lastSeenMillis,
                gone);
    }
}
