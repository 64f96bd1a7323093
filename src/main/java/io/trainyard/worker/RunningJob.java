package io.trainyard.worker;

import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobSpec;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/// A job on a training thread of its own, which answers to it.
final class RunningJob implements Supervisor {
    private final CompletableFuture<Outcome> result = new CompletableFuture<>();
    private final Thread thread;
    private final JobEvents events;
    private final StopSignal workerStop;
    private volatile boolean stopRequested;

    private RunningJob(JobRunner runner, JobSpec job, JobEvents events, StopSignal workerStop) {
        this.events = events;
        this.workerStop = workerStop;
        this.thread = Thread.ofPlatform()
                .name("job-" + job.id())
                .daemon() // a job that does not stop must not keep the process
                .unstarted(() -> {
                    try {
                        result.complete(runner.run(job, this));
                    } catch (Throwable e) { // an Error too is this job's, not the worker's
                        result.completeExceptionally(e);
                    }
                });
    }

    /// @param workerStop ends the job, too
    static RunningJob start(JobRunner runner, JobSpec job, JobEvents events, StopSignal workerStop) {
        RunningJob running = new RunningJob(runner, job, events, workerStop);
        var _ = events.loss()
                .exceptionally(
                        problem -> { // it may be long until the job notices
                            running.result.completeExceptionally(problem);
                            return null;
                        });
        running.thread.start();
        return running;
    }

    @Override
    public void tell(TrainingEvent event) {
        events.publish(event);
    }

    @Override
    public boolean stopRequested() {
        return stopRequested || workerStop.isRequested();
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
