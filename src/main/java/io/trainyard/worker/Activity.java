package io.trainyard.worker;

import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatus.Fetching;
import io.trainyard.metrics.FirstSteps;
import io.trainyard.spec.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/// What a worker is doing, according to its events. Job threads write it; the heartbeat and the metrics read
/// it.
final class Activity {
    record Totals(long steps, int checkpoints, int checkpointFailures, int lostCommands) {}

    private final FirstSteps firstSteps = new FirstSteps();
    private final List<RunningAttempt> held = new ArrayList<>(); // in the order in which they were claimed
    private DoubleConsumer onFirstStep = _ -> {};
    private @Nullable String trouble;
    private long steps;
    private int checkpoints;
    private int checkpointFailures;
    private int lostCommands;

    /// An attempt at a job. All attempts of a worker share the worker's monitor.
    final class RunningAttempt {
        private final JobSpec job;
        private final int attempt;
        private double samplesPerSecond;
        private @Nullable JobEvents events;
        private @Nullable Fetching fetching;
        private int epoch = -1;
        private long elapsedMicros;

        private RunningAttempt(JobSpec job, int attempt) {
            this.job = job;
            this.attempt = attempt;
        }

        /// The worker owns the job from now on: its heartbeats say so.
        void begin() {
            synchronized (Activity.this) {
                held.add(this);
            }
        }

        void end() {
            synchronized (Activity.this) {
                held.remove(this);
            }
        }

        void sends(JobEvents leaving) {
            synchronized (Activity.this) {
                events = leaving;
            }
        }

        void fetches(Fetching now) {
            synchronized (Activity.this) {
                fetching = now;
            }
        }

        void see(SerializedEvent line) {
            synchronized (Activity.this) {
                if (!held.contains(this)) {
                    return; // the last events of a superseded attempt
                }
                fetching = null; // the download is complete
                TrainingEvent event = line.event();
                firstSteps.see(event, line.time().toEpochMilli()).ifPresent(onFirstStep);
                count(event);
                if (event instanceof StepLosses losses) {
                    rate(losses);
                }
            }
        }

        /// Time since the previous losses. The first losses of an epoch are skipped because their time includes
        /// a test.
        private void rate(StepLosses losses) {
            long micros = losses.elapsedMicros() - elapsedMicros;
            boolean comparable = losses.epoch() == epoch && micros > 0;
            epoch = losses.epoch();
            elapsedMicros = losses.elapsedMicros();
            if (comparable) {
                samplesPerSecond = losses.losses().length * (double) job.batchSize() * 1e6 / micros;
            }
        }

        void checkpointFailed() {
            synchronized (Activity.this) {
                checkpointFailures++;
            }
        }
    }

    /// @param listener receives the seconds from claim to first losses of each attempt
    synchronized void onFirstStep(DoubleConsumer listener) {
        onFirstStep = listener;
    }

    /// An attempt that has not begun yet.
    RunningAttempt of(JobSpec job, int attempt) {
        return new RunningAttempt(job, attempt);
    }

    private void count(TrainingEvent event) {
        steps += event instanceof StepLosses losses ? losses.losses().length : 0;
        checkpoints += event instanceof CheckpointSaved ? 1 : 0;
    }

    synchronized void commandLost() {
        lostCommands++;
    }

    /// @param reason why the worker claims no jobs; null if it does
    synchronized void trouble(@Nullable String reason) {
        trouble = reason;
    }

    synchronized @Nullable String trouble() {
        return trouble;
    }

    synchronized List<WorkerStatus.Job> jobs() {
        return held.stream()
                .map(one -> new WorkerStatus.Job(one.job.id(), one.attempt, one.samplesPerSecond))
                .toList();
    }

    /// Samples per second of all current jobs; 0 before the first losses.
    double samplesPerSecond() {
        return jobs().stream().mapToDouble(WorkerStatus.Job::samplesPerSecond).sum();
    }

    synchronized @Nullable Fetching fetching() {
        return held.stream()
                .map(one -> one.fetching)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    synchronized Totals totals() {
        return new Totals(steps, checkpoints, checkpointFailures, lostCommands);
    }

    /// Events of the current jobs that the brokers have not acknowledged yet.
    int eventsWaiting() {
        List<JobEvents> leaving = new ArrayList<>();
        synchronized (this) {
            for (RunningAttempt one : held) {
                if (one.events != null) {
                    leaving.add(one.events);
                }
            }
        }
        return leaving.stream().mapToInt(JobEvents::waiting).sum();
    }
}
