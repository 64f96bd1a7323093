package io.trainyard.dashboard;

import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatus.Fetching;
import io.trainyard.event.WorkerStatus.Reading;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A worker as a row of the table.
///
/// @param job the first of the jobs that it has; null when idle
/// @param lastSeenMillis when its last heartbeat was sent, since 1970
/// @param gone unseen for so long that it must have ended without a word
/// @param problem why it takes no jobs at present; null: it does
/// @param fetching the data set that it brings to its machine; null: none
/// @param readings what its devices do at the moment; null where that is not told
/// @param version of Trainyard; null where that is not told
/// @param slots how many jobs it has at once
/// @param jobs all that it has
public record WorkerView(
        String worker,
        String device,
        @Nullable String job,
        @Nullable Integer attempt,
        double imagesPerSecond,
        long memoryBytes,
        long lastSeenMillis,
        boolean gone,
        @Nullable String problem,
        @Nullable Fetching fetching,
        @Nullable List<Reading> readings,
        @Nullable String version,
        int slots,
        List<WorkerStatus.Job> jobs) {

    static WorkerView of(WorkerStatus status, long lastSeenMillis, boolean gone) {
        List<WorkerStatus.Job> jobs = status.jobs();
        return new WorkerView(
                status.worker(),
                status.device(),
                jobs.isEmpty() ? null : jobs.getFirst().job(),
                jobs.isEmpty() ? null : jobs.getFirst().attempt(),
                status.imagesPerSecond(),
                status.memoryBytes(),
                lastSeenMillis,
                gone,
                status.problem(),
                status.fetching(),
                status.readings(),
                status.version(),
                status.slots(),
                jobs);
    }

    boolean takesOne() {
        return !gone && jobs.size() < slots && problem == null;
    }
}
