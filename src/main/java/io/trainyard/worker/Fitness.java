package io.trainyard.worker;

import io.trainyard.custody.Quarantine;
import io.trainyard.custody.RecentRefusals;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Whether a worker is able to run jobs, by what came of those that it had, whichever slot they were in: all slots
/// have one device, one store and one machine's memory. Thread-safe.
final class Fitness {
    private static final Duration MIN_QUARANTINE = Duration.ofSeconds(1);
    private static final Duration MAX_QUARANTINE = Duration.ofMinutes(1);

    /// How long a worker leaves a job to others that it lacked something for.
    private static final Duration REFUSAL = Duration.ofMinutes(10);

    /// Short memory and a store in trouble may pass; what does not may be this process's.
    private static final int MAX_FAULTS = 3;

    private final Quarantine quarantine = new Quarantine(MIN_QUARANTINE, MAX_QUARANTINE);
    private final RecentRefusals refusals = new RecentRefusals(REFUSAL);
    private RecentRefusals crowded = new RecentRefusals(REFUSAL); // beside the jobs that the worker has
    private final String worker;
    private int faults; // in a row, and not for want of something: the worker's memory or its store
    private @Nullable String restart;

    Fitness(String worker) {
        this.worker = worker;
    }

    /// A job has come to its end.
    synchronized void ended() {
        faults = 0;
        quarantine.healed();
    }

    /// A job was paused.
    synchronized void paused() {
        quarantine.healed();
    }

    /// A command was refused, or a job broke.
    synchronized void refused(String reason) {
        quarantine.fault(reason);
    }

    /// The worker lacks something for a job.
    synchronized void lacks(String job, String reason, long nowNanos) {
        faults = 0;
        quarantine.fault(reason);
        refusals.note(job, reason, nowNanos);
    }

    /// There was no room for a job beside the others.
    synchronized void crowded(String job, String reason, long nowNanos) {
        quarantine.fault(reason);
        crowded.note(job, reason, nowNanos);
    }

    /// What a job had of the device is free again.
    synchronized void freed() {
        crowded = new RecentRefusals(REFUSAL);
    }

    /// What the worker has lacked for a job lately; empty where it has not tried.
    synchronized Optional<String> lacking(String job, long nowNanos) {
        return crowded.reason(job, nowNanos).or(() -> refusals.reason(job, nowNanos));
    }

    /// The worker could not run a job, and another may.
    synchronized void fault(String reason) {
        quarantine.fault(reason);
        if (++faults == MAX_FAULTS) {
            mustRestart(
                    "worker=%s could not run %d jobs in a row, the last one as follows; in this process it may never work again. The worker has to be started anew. %s"
                            .formatted(worker, MAX_FAULTS, reason));
        }
    }

    /// The device is lost, and with it whatever this process could do there.
    synchronized void lost(String reason) {
        mustRestart(
                "worker=%s has lost its device, which this process cannot use any more. The worker has to be started anew. %s"
                        .formatted(worker, reason));
    }

    /// What the worker runs does not stop.
    synchronized void hangs(String job) {
        mustRestart("worker=%s job=%s does not stop; the worker has to be started anew".formatted(worker, job));
    }

    private void mustRestart(String why) {
        restart = restart == null ? why : restart; // the rest comes of the first
    }

    /// Why this process can do no more, and another may; empty: it can.
    synchronized Optional<String> restart() {
        return Optional.ofNullable(restart);
    }

    /// How long the newest fault asks the worker to take no job, once; then zero.
    synchronized Duration pause() {
        return quarantine.pause();
    }

    /// What was wrong the last time; empty: nothing.
    synchronized String reason() {
        return quarantine.reason();
    }
}
