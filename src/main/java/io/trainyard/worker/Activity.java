package io.trainyard.worker;

import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.event.WorkerStatus.Fetching;
import io.trainyard.metrics.FirstSteps;
import io.trainyard.spec.JobSpec;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/// What a worker is doing, seen from its events; written by the job's thread, read by the heartbeat's and
/// by those that tell its metrics.
final class Activity {
    /// The job at hand.
    ///
    /// @param imagesPerSecond over the newest losses; 0 before the first
    record Work(String job, int attempt, double imagesPerSecond) {}

    /// All that it has done since the process began.
    record Totals(long steps, int checkpoints, int checkpointFailures) {}

    private final FirstSteps firstSteps = new FirstSteps();
    private DoubleConsumer onFirstStep = _ -> {};
    private @Nullable Work work;
    private @Nullable JobEvents events;
    private @Nullable String trouble;
    private @Nullable Fetching fetching;
    private Totals totals = new Totals(0, 0, 0);
    private int batchSize;
    private int epoch;
    private long elapsedMicros;

    /// @param listener is told after how many seconds each attempt had its first losses
    synchronized void onFirstStep(DoubleConsumer listener) {
        onFirstStep = listener;
    }

    /// The worker has the job: from now on its heartbeats say so.
    synchronized void begin(JobSpec job, int attempt) {
        work = new Work(job.id(), attempt, 0);
        batchSize = job.batchSize();
        epoch = -1;
        elapsedMicros = 0;
    }

    /// By whom the job's events leave.
    synchronized void sends(JobEvents leaving) {
        events = leaving;
    }

    /// The job's data set is being brought here.
    synchronized void fetches(Fetching now) {
        fetching = now;
    }

    /// Null where none is.
    synchronized @Nullable Fetching fetching() {
        return fetching;
    }

    synchronized void see(EventLine line) {
        TrainingEvent event = line.event();
        Work now = work;
        if (now == null || !now.job().equals(event.job())) {
            return; // the last words of a job that was given up
        }
        fetching = null; // it is here
        firstSteps.see(event, line.time().toEpochMilli()).ifPresent(onFirstStep);
        count(event);
        double rate = event instanceof StepLosses losses ? rate(losses, now) : now.imagesPerSecond();
        work = new Work(now.job(), now.attempt(), rate);
    }

    private void count(TrainingEvent event) {
        totals = new Totals(
                totals.steps() + (event instanceof StepLosses losses ? losses.losses().length : 0),
                totals.checkpoints() + (event instanceof CheckpointSaved ? 1 : 0),
                totals.checkpointFailures());
    }

    /// A checkpoint could not be written.
    synchronized void checkpointFailed() {
        totals = new Totals(totals.steps(), totals.checkpoints(), totals.checkpointFailures() + 1);
    }

    /// The time since the losses before; an epoch's first losses also hold the time of a test, so they do not
    /// count.
    private double rate(StepLosses losses, Work now) {
        long micros = losses.elapsedMicros() - elapsedMicros;
        boolean comparable = losses.epoch() == epoch && micros > 0;
        epoch = losses.epoch();
        elapsedMicros = losses.elapsedMicros();
        return comparable ? losses.losses().length * (double) batchSize * 1e6 / micros : now.imagesPerSecond();
    }

    synchronized void end() {
        work = null;
        events = null;
        fetching = null;
    }

    /// @param reason why the worker takes no jobs; null: it does
    synchronized void trouble(@Nullable String reason) {
        trouble = reason;
    }

    synchronized @Nullable String trouble() {
        return trouble;
    }

    /// Null when idle.
    synchronized @Nullable Work work() {
        return work;
    }

    synchronized Totals totals() {
        return totals;
    }

    /// Events of the job at hand that the brokers have not acknowledged.
    int eventsWaiting() {
        JobEvents leaving;
        synchronized (this) {
            leaving = events;
        }
        return leaving == null ? 0 : leaving.waiting();
    }
}
