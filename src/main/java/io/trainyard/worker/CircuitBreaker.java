package io.trainyard.worker;

import io.trainyard.ownership.Quarantine;
import io.trainyard.ownership.RecentRefusals;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Whether a worker is able to run jobs, judged by the outcomes of its jobs in all slots: the slots share one
/// device, one store and one machine's memory. Thread-safe.
final class CircuitBreaker {
    private static final Duration MIN_QUARANTINE = Duration.ofSeconds(1);
    private static final Duration MAX_QUARANTINE = Duration.ofMinutes(1);

    /// How long a worker leaves a job to others after it had insufficient resources for it.
    private static final Duration REFUSAL = Duration.ofMinutes(10);

    /// Too little memory or a failing store may pass; further failures may be caused by this process.
    private static final int MAX_FAULTS = 3;

    private final Quarantine quarantine = new Quarantine(MIN_QUARANTINE, MAX_QUARANTINE);
    private final RecentRefusals refusals = new RecentRefusals(REFUSAL);
    private RecentRefusals crowded = new RecentRefusals(REFUSAL); // next to the worker's other jobs
    private final String worker;
    private int faults; // in a row, of the worker itself: its memory or its store
    private @Nullable String restart;

    CircuitBreaker(String worker) {
        this.worker = worker;
    }

    synchronized void ended() {
        faults = 0;
        quarantine.healed();
    }

    synchronized void paused() {
        quarantine.healed();
    }

    /// A command was refused, or a job failed to start.
    synchronized void refused(String reason) {
        quarantine.fault(reason);
    }

    /// The worker has insufficient resources for a job.
    synchronized void lacks(String job, String reason, long nowNanos) {
        faults = 0;
        quarantine.fault(reason);
        refusals.note(job, reason, nowNanos);
    }

    /// A job did not fit next to the worker's other jobs.
    synchronized void crowded(String job, String reason, long nowNanos) {
        quarantine.fault(reason);
        crowded.note(job, reason, nowNanos);
    }

    /// A job's device memory is free again.
    synchronized void freed() {
        crowded = new RecentRefusals(REFUSAL);
    }

    /// The worker's recent reason not to run a job; empty if it has not tried.
    synchronized Optional<String> lacking(String job, long nowNanos) {
        return crowded.reason(job, nowNanos).or(() -> refusals.reason(job, nowNanos));
    }

    /// The worker failed to run a job; others may succeed.
    synchronized void fault(String reason) {
        quarantine.fault(reason);
        if (++faults == MAX_FAULTS) {
            mustRestart(
                    "worker=%s could not run %d jobs in a row and may never succeed in this process. Restart the worker. The last failure: %s"
                            .formatted(worker, MAX_FAULTS, reason));
        }
    }

    /// The device is lost, and this process cannot use it any more.
    synchronized void lost(String reason) {
        mustRestart("worker=%s has lost its device, which this process cannot use any more. Restart the worker. %s"
                .formatted(worker, reason));
    }

    synchronized void hangs(String job) {
        mustRestart("worker=%s job=%s does not stop; restart the worker".formatted(worker, job));
    }

    private void mustRestart(String why) {
        restart = restart == null ? why : restart; // later failures follow from the first
    }

    /// Why only a new process can go on; empty if this one can.
    synchronized Optional<String> restart() {
        return Optional.ofNullable(restart);
    }

    /// The pause that the newest failure requires, once; then zero.
    synchronized Duration pause() {
        return quarantine.pause();
    }

    /// The newest failure; empty if nothing failed.
    synchronized String reason() {
        return quarantine.reason();
    }
}
