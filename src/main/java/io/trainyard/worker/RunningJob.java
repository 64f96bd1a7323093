package io.trainyard.worker;

import io.trainyard.spec.JobSpec;
import io.trainyard.training.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/// A job on a training thread of its own.
final class RunningJob {
    private final CompletableFuture<Outcome> result = new CompletableFuture<>();
    private final Thread thread;
    private final JobEvents events;
    private volatile boolean stopRequested;

    private RunningJob(JobRunner runner, JobSpec job, JobEvents events, BooleanSupplier workerStops) {
        this.events = events;
        this.thread = Thread.ofPlatform()
                .name("job-" + job.id())
                .daemon() // a job that does not stop must not keep the process
                .unstarted(() -> {
                    try {
                        result.complete(
                                runner.run(job, events::publish, () -> stopRequested || workerStops.getAsBoolean()));
                    } catch (Throwable e) { // an Error too is this job's failure, not the worker's
                        result.completeExceptionally(e);
                    }
                });
    }

    static RunningJob start(JobRunner runner, JobSpec job, JobEvents events, BooleanSupplier workerStops) {
        RunningJob running = new RunningJob(runner, job, events, workerStops);
        var _ = events.loss()
                .exceptionally(
                        problem -> { // it may be long until the job notices
                            running.result.completeExceptionally(problem);
                            return null;
                        });
        running.thread.start();
        return running;
    }

    /// Completes with the job's outcome, or with what it threw, or as soon as one of its events is lost.
    CompletableFuture<Outcome> result() {
        return result;
    }

    /// Asks the job to end and interrupts it, without waiting for it.
    void abandon() {
        stopRequested = true;
        events.close(); // a job that is interrupted may take it for a failure of its own
        thread.interrupt();
    }

    /// Asks the job to end, then interrupts it.
    ///
    /// @param patience for each of the two
    /// @return whether it has ended
    boolean stop(Duration patience) throws InterruptedException {
        stopRequested = true;
        if (thread.join(patience)) {
            return true;
        }
        abandon();
        return thread.join(patience);
    }
}
