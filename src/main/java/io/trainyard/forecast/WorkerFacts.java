package io.trainyard.forecast;

import io.trainyard.event.WorkerStatus;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A worker that is there, as far as it matters to jobs that wait.
///
/// @param device the name of its own, such as `cuda:0`
/// @param jobs that it has
/// @param slots how many it may have
/// @param trouble why it takes no jobs at present; null: it does
/// @param contract the newest of commands that it understands
public record WorkerFacts(
        String worker,
        String device,
        List<String> jobs,
        int slots,
        @Nullable String trouble,
        int contract) {
    public WorkerFacts {
        jobs = List.copyOf(jobs);
    }

    /// What a heartbeat says of it.
    public static WorkerFacts of(WorkerStatus status) {
        return new WorkerFacts(
                status.worker(),
                status.device(),
                status.jobs().stream().map(WorkerStatus.Job::job).toList(),
                status.slots(),
                status.problem(),
                status.contract());
    }

    /// The same, with other jobs.
    WorkerFacts with(List<String> others) {
        return new WorkerFacts(worker, device, others, slots, trouble, contract);
    }

    /// How many jobs it would take now.
    int free() {
        return trouble == null ? Math.max(0, slots - jobs.size()) : 0;
    }

    /// The kind of its own device.
    String kind() {
        return JobFacts.kind(device);
    }

    /// Whether it looks at commands of a lane.
    ///
    /// @param kinds of device that it is known to have
    static boolean looksAt(Lane lane, Set<String> kinds) {
        return lane == Lane.COMMON || kinds.contains(lane.kind());
    }
}
