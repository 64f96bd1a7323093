package io.trainyard.training;

import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Progress;
import io.trainyard.checkpoint.Progress.Measured;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.spec.JobSpec;
import io.trainyard.training.Supervisor.Halt;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// Runs attempts with simulated steps, in the order of [JobTraining] and [Trainer]. The attempt and its
/// checkpoint writer, fence, rungs and checkpoint retention are production code.
public final class SimulatedTraining {
    private static final SessionState EMPTY = new SessionState(Parameters.NONE, Parameters.NONE);
    private static final long STEP_MICROS = 1000;

    private final AttemptHost host;
    private final String worker;

    /// A simulated world's decisions about a job.
    public interface Steps {
        int count();

        int perEpoch();

        /// Whether a checkpoint is due after this step.
        boolean isDue(long step);

        /// Throws if this worker cannot run the job.
        void prepare();

        /// The time limit of a step; empty to publish none.
        Optional<Duration> limit();

        /// Takes a step.
        ///
        /// @param step from 1
        /// @return whether the losses are finite
        boolean take(long step, int attempt);

        /// The accuracy of each test.
        double accuracy();

        /// Whether an attempt checks the rung at its first step again.
        boolean asksAgain();

        /// Called when an attempt stops before the job's end.
        ///
        /// @return whether it saves a checkpoint first
        boolean stops(Halt halt);

        /// The events to store in a checkpoint.
        List<String> pending(List<String> unacknowledged);

        /// The job is done, but its end is not stored yet.
        void finishes(Finished event);
    }

    /// @param start starts a thread
    /// @param worker the owner of these attempts
    public SimulatedTraining(
            BiFunction<String, Runnable, Thread> start, LongSupplier nanoTime, Supplier<Instant> now, String worker) {
        this.worker = worker;
        this.host = new AttemptHost() {
            @Override
            public Thread start(String name, Runnable body) {
                return start.apply(name, body);
            }

            @Override
            public long nanoTime() {
                return nanoTime.getAsLong();
            }

            @Override
            public Instant now() {
                return now.get();
            }
        };
    }

    /// Runs an attempt that is already in the job's chain, as [JobTraining#attempt] does.
    public Outcome attempt(JobSpec job, JobFolder folder, int number, Supervisor supervisor, Steps steps) {
        try (Attempt attempt = new Attempt(new Attempt.Claim(job, number, folder), supervisor, host)) {
            try {
                return run(attempt, steps);
            } catch (RuntimeException | Error e) {
                if (Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                return attempt.end(e);
            }
        } catch (SupervisorException e) {
            throw e.thrown();
        }
    }

    private Outcome run(Attempt attempt, Steps steps) {
        JobSpec job = attempt.job();
        String id = job.id();
        int number = attempt.number();
        attempt.alive(HangLimit.UNKNOWN);
        steps.prepare();
        attempt.publish(new Claimed(id, number, worker, "cpu"));
        attempt.begin();
        Optional<Checkpoint> newest = attempt.resume(AttemptLimits.DEFAULT.maxAttempts());
        Progress at = newest.map(Checkpoint::progress).orElseGet(() -> Progress.beginning(new long[] {0}));
        long first = at.step();
        long saved = first;
        attempt.publish(SampleEvents.started(job, number, first + 1, steps.perEpoch(), null));
        while (at.step() < steps.count()) {
            boolean asks = at.step() > first || steps.asksAgain();
            Optional<Halt> halt = (asks ? attempt.isPaused(at) : Optional.<Halt>empty()).or(attempt::halt);
            if (halt.isPresent()) {
                if (steps.stops(halt.get()) && halt.get() != Halt.CANCEL) {
                    saved = save(attempt, steps, at, saved);
                }
                return attempt.stop(halt.get(), at.step(), worker);
            }
            attempt.start();
            steps.limit().ifPresent(attempt::alive);
            boolean finite = steps.take(at.step() + 1, number);
            int epoch = at.epoch();
            at = at.plus(1, STEP_MICROS);
            attempt.publish(SampleEvents.losses(id, number, epoch, at.step(), 1));
            if (!finite) {
                attempt.awaitSaved(true);
                throw new DivergedException("the loss is not a number");
            }
            if (at.stepOfEpoch() == steps.perEpoch()) {
                attempt.publish(SampleEvents.tested(id, number, epoch, at.step(), 0.5));
                at = at.nextEpoch(
                        new long[] {at.step()}, new Measured(steps.accuracy(), 0.5, steps.accuracy()), STEP_MICROS);
            }
            if (steps.isDue(at.step())) {
                saved = save(attempt, steps, at, saved);
            }
        }
        save(attempt, steps, at, saved);
        Finished event = SampleEvents.finished(id, number, at.step());
        steps.finishes(event);
        return attempt.finish(event);
    }

    private static long save(Attempt attempt, Steps steps, Progress at, long saved) {
        if (at.step() > saved) {
            attempt.beforeSave();
            List<String> pending = steps.pending(attempt.unacknowledged());
            attempt.save(new Checkpoint(EMPTY, at, 2, attempt.number(), pending));
        }
        return at.step();
    }
}
