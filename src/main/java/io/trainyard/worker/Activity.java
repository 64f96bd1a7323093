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

/// What a worker is doing, seen from its events; written by the jobs' threads, read by the heartbeat's and
/// by those that tell its metrics.
final class Activity {
    /// All that it has done since the process began.
    record Totals(long steps, int checkpoints, int checkpointFailures, int lostCommands) {}

    private final FirstSteps firstSteps = new FirstSteps();
    private final List<AtWork> held = new ArrayList<>(); // in the order in which they were taken
    private DoubleConsumer onFirstStep = _ -> {};
    private @Nullable String trouble;
    private Totals totals = new Totals(0, 0, 0, 0);

    /// An attempt at a job. All attempts of a worker share its monitor.
    final class AtWork {
        private final JobSpec job;
        private final int attempt;
        private double imagesPerSecond;
        private @Nullable JobEvents events;
        private @Nullable Fetching fetching;
        private int epoch = -1;
        private long elapsedMicros;

        private AtWork(JobSpec job, int attempt) {
            this.job = job;
            this.attempt = attempt;
        }

        /// The worker has the job: from now on its heartbeats say so.
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

        /// By whom the job's events leave.
        void sends(JobEvents leaving) {
            synchronized (Activity.this) {
                events = leaving;
            }
        }

        /// The job's data set is being brought here.
        void fetches(Fetching now) {
            synchronized (Activity.this) {
                fetching = now;
            }
        }

        void see(EventLine line) {
            synchronized (Activity.this) {
                if (!held.contains(this)) {
                    return; // the last words of a job that was given up
                }
                fetching = null; // it is here
                TrainingEvent event = line.event();
                firstSteps.see(event, line.time().toEpochMilli()).ifPresent(onFirstStep);
                count(event);
                if (event instanceof StepLosses losses) {
                    rate(losses);
                }
            }
        }

        /// The time since the losses before; an epoch's first losses also hold the time of a test, so they do not
        /// count.
        private void rate(StepLosses losses) {
            long micros = losses.elapsedMicros() - elapsedMicros;
            boolean comparable = losses.epoch() == epoch && micros > 0;
            epoch = losses.epoch();
            elapsedMicros = losses.elapsedMicros();
            if (comparable) {
                imagesPerSecond = losses.losses().length * (double) job.batchSize() * 1e6 / micros;
            }
        }

        /// A checkpoint could not be written.
        void checkpointFailed() {
            synchronized (Activity.this) {
                totals = new Totals(
                        totals.steps(), totals.checkpoints(), totals.checkpointFailures() + 1, totals.lostCommands());
            }
        }
    }

    /// @param listener is told after how many seconds each attempt had its first losses
    synchronized void onFirstStep(DoubleConsumer listener) {
        onFirstStep = listener;
    }

    /// An attempt that is yet to begin.
    AtWork of(JobSpec job, int attempt) {
        return new AtWork(job, attempt);
    }

    private void count(TrainingEvent event) {
        totals = new Totals(
                totals.steps() + (event instanceof StepLosses losses ? losses.losses().length : 0),
                totals.checkpoints() + (event instanceof CheckpointSaved ? 1 : 0),
                totals.checkpointFailures(),
                totals.lostCommands());
    }

    /// A command was lost, and is published again.
    synchronized void commandLost() {
        totals = new Totals(
                totals.steps(), totals.checkpoints(), totals.checkpointFailures(), totals.lostCommands() + 1);
    }

    /// @param reason why the worker takes no jobs; null: it does
    synchronized void trouble(@Nullable String reason) {
        trouble = reason;
    }

    synchronized @Nullable String trouble() {
        return trouble;
    }

    /// The jobs at hand, in the order in which they were taken; empty when idle.
    synchronized List<WorkerStatus.Job> jobs() {
        return held.stream()
                .map(one -> new WorkerStatus.Job(one.job.id(), one.attempt, one.imagesPerSecond))
                .toList();
    }

    /// Of all jobs at hand together; 0 before the first losses.
    double imagesPerSecond() {
        return jobs().stream().mapToDouble(WorkerStatus.Job::imagesPerSecond).sum();
    }

    /// A data set that is being brought here; null where none is.
    synchronized @Nullable Fetching fetching() {
        return held.stream()
                .map(one -> one.fetching)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    synchronized Totals totals() {
        return totals;
    }

    /// Events of the jobs at hand that the brokers have not acknowledged.
    int eventsWaiting() {
        List<JobEvents> leaving = new ArrayList<>();
        synchronized (this) {
            for (AtWork one : held) {
                if (one.events != null) {
                    leaving.add(one.events);
                }
            }
        }
        return leaving.stream().mapToInt(JobEvents::waiting).sum();
    }
}
