package io.trainyard.dashboard;

import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatus.Fetching;
import io.trainyard.event.WorkerStatus.Reading;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A worker as a row of the table.
///
/// @param job the first of its jobs; null if idle
/// @param lastSeenMillis the time of its last heartbeat, Unix time in ms
/// @param lost true if it had no heartbeat for so long that it must have died
/// @param problem why it claims no jobs at present; null if it does
/// @param fetching the dataset that it downloads, if any
/// @param readings the state of its devices; null if unknown
/// @param version of Trainyard; null if unknown
/// @param slots the maximum number of jobs at the same time
/// @param jobs all its jobs
public record WorkerView(
        String worker,
        String device,
        @Nullable String job,
        @Nullable Integer attempt,
        double samplesPerSecond,
        long memoryBytes,
        long lastSeenMillis,
        boolean lost,
        @Nullable String problem,
        @Nullable Fetching fetching,
        @Nullable List<Reading> readings,
        @Nullable String version,
        int slots,
        List<WorkerStatus.Job> jobs) {

    static WorkerView of(WorkerStatus status, long lastSeenMillis, boolean lost) {
        List<WorkerStatus.Job> jobs = status.jobs();
        return new WorkerView(
                status.worker(),
                status.device(),
                jobs.isEmpty() ? null : jobs.getFirst().job(),
                jobs.isEmpty() ? null : jobs.getFirst().attempt(),
                status.samplesPerSecond(),
                status.memoryBytes(),
                lastSeenMillis,
                lost,
                status.problem(),
                status.fetching(),
                status.readings(),
                status.version(),
                status.slots(),
                jobs);
    }

    boolean takesOne() {
        return !lost && jobs.size() < slots && problem == null;
    }
}
