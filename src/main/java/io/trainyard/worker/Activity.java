package io.trainyard.worker;

import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.JobSpec;
import org.jspecify.annotations.Nullable;

/// What a worker is doing, seen from its events; written by the job's thread, read by the heartbeat's.
final class Activity {
    /// The job at hand.
    ///
    /// @param imagesPerSecond over the newest losses; 0 before the first
    record Work(String job, int attempt, double imagesPerSecond) {}

    private @Nullable Work work;
    private @Nullable String trouble;
    private int batchSize;
    private int epoch;
    private long elapsedMicros;

    /// The worker has the job: from now on its heartbeats say so.
    synchronized void begin(JobSpec job, int attempt) {
        work = new Work(job.id(), attempt, 0);
        batchSize = job.batchSize();
        epoch = -1;
        elapsedMicros = 0;
    }

    synchronized void see(TrainingEvent event) {
        Work now = work;
        if (now == null || !now.job().equals(event.job())) {
            return; // the last words of a job that was given up
        }
        double rate = event instanceof TrainingEvent.StepLosses losses ? rate(losses, now) : now.imagesPerSecond();
        work = new Work(now.job(), now.attempt(), rate);
    }

    /// The time since the losses before; an epoch's first losses also hold the time of a test, so they do not
    /// count.
    private double rate(TrainingEvent.StepLosses losses, Work now) {
        long micros = losses.elapsedMicros() - elapsedMicros;
        boolean comparable = losses.epoch() == epoch && micros > 0;
        epoch = losses.epoch();
        elapsedMicros = losses.elapsedMicros();
        return comparable ? losses.losses().length * (double) batchSize * 1e6 / micros : now.imagesPerSecond();
    }

    synchronized void end() {
        work = null;
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
}
