package io.trainyard.training;

import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.Progress;
import io.trainyard.device.LearningSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.TargetScale;
import io.trainyard.training.Supervisor.Halt;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

final class Trainer {
    private final Attempt attempt;
    private final JobSpec job;
    private final Workload workload;
    private final @Nullable Part part; // that is tested after epochs; null if the dataset has no validation part
    private final LearningSession session;
    private final @Nullable TargetScale targets;
    private final HangLimit watch;

    private final long startNanos = System.nanoTime();
    private final StepsPerCall pace = new StepsPerCall();
    private final CheckpointPlan plan;

    private final StepTimes stepTimes = new StepTimes();
    private final EpochClock clock;
    private StepRates rates = StepRates.NONE; // of the current epoch
    private long begunStep; // of the last checkpoint that was begun
    private long begunNanos = startNanos; // when it was begun

    Trainer(Attempt attempt, Workloads.Prepared prepared, LearningSession session, HangLimit watch) {
        this.attempt = attempt;
        this.job = attempt.job();
        this.workload = prepared.workload();
        this.part = prepared.validates() ? Part.VALIDATION : null;
        this.session = session;
        this.targets = prepared.targets();
        this.watch = watch;
        this.plan = new CheckpointPlan(job);
        this.clock = new EpochClock(session);
    }

    /// Where training ended.
    ///
    /// @param halt why it ended before the job's end; empty at the job's end
    record End(Progress at, Optional<Halt> halt) {}

    /// Trains from `from` to the job's end, or to the step at which a stop is requested.
    End train(Progress from) {
        Progress at = from;
        begunStep = from.step();
        while (!isEnd(at)) {
            Optional<Halt> rest = attempt.isPaused(at);
            if (rest.isPresent()) {
                save(at);
                return new End(at, rest);
            }
            TorchRandom random = TorchRandom.restore(at.random());
            rates = StepRates.of(job, workload, at.epoch());
            session.beginEpoch(EpochDraws.train(workload, job, rates, random), at.stepOfEpoch());

            long epochNanos = System.nanoTime();
            Progress begin = at;
            while (at.stepOfEpoch() < workload.stepsPerEpoch()) {
                saveIfDue(at);
                Optional<Halt> halt = attempt.halt();
                if (halt.isPresent()) {
                    if (halt.get() != Halt.CANCEL) {
                        save(at);
                    }
                    return new End(at, halt);
                }
                at = advance(at);
            }
            long trainMicros = microsSince(epochNanos);

            attempt.alive(watch.limit(testBatches()));
            TestPass test = TestPass.run(session, part, at.epoch(), at.step());
            if (!test.isFinite()) {
                throw diverged(
                        "the %s loss is ".formatted(Part.word(part))
                                + test.result().testLoss(),
                        at.step());
            }
            EpochDraws.test(random);
            attempt.publish(test.event(attempt, samples(begin, at), trainMicros, clock.endEpoch(test.micros())));
            at = at.nextEpoch(random.state(), test.measured(job.decidingMetric()), test.micros());
            saveIfDue(at);
        }
        save(at);
        return new End(at, Optional.empty());
    }

    /// Whether the job is finished: after its last epoch, or by its early-stopping condition.
    private boolean isEnd(Progress at) {
        return at.epoch() == job.epochs() || EarlyStop.reason(job, at, part).isPresent();
    }

    /// Trains one block of steps and publishes their losses.
    private Progress advance(Progress at) {
        int steps = pace.steps(plan.stepsUntilDue(at, workload.stepsPerEpoch() - at.stepOfEpoch()));
        attempt.start();
        attempt.alive(watch.limit(steps));
        long nanos = System.nanoTime();
        float[] losses = session.advance(steps);
        long micros = microsSince(nanos);
        watch.took(steps, micros);
        pace.took(steps, micros);
        stepTimes.took(steps, micros);
        clock.stepsTook(micros);
        int finite = 0;
        while (finite < steps && Float.isFinite(losses[finite])) {
            finite++;
        }
        float[] published = finite == steps ? losses : Arrays.copyOf(losses, finite + 1);
        double learningRate = rates.learningRate(at.stepOfEpoch() + published.length - 1);
        attempt.publish(new StepLosses(
                job.id(),
                attempt.number(),
                at.epoch(),
                at.step() + 1,
                published,
                microsSince(startNanos),
                learningRate));
        if (finite < steps) {
            throw diverged("the loss is " + losses[finite], at.step() + 1 + finite);
        }
        return at.plus(steps, micros);
    }

    private DivergedException diverged(String what, long step) {
        attempt.awaitSaved(true);
        return new DivergedException(
                "%s at step %d, where the learning rate is %s; %s. A smaller learning rate may help, or images that are normalized"
                        .formatted(
                                what,
                                step,
                                rates.learningRate(step - 1),
                                attempt.savedStep() == 0
                                        ? "no checkpoint was saved before"
                                        : "what was trained before is in the checkpoint \"%s/%d\", which another job can start from with initFrom"
                                                .formatted(attempt.folder().name(), attempt.savedStep())));
    }

    /// A timed checkpoint is skipped while another one is being written.
    private void saveIfDue(Progress at) {
        if (plan.isDue(at)
                || attempt.isBestValidated(at)
                || (plan.isDueAfter(System.nanoTime() - begunNanos) && !attempt.isSaving())) {
            save(at);
        }
    }

    /// Copies the state, which is written while training goes on. A state that is saved already is not saved
    /// again.
    private void save(Progress at) {
        if (at.step() == begunStep) {
            return;
        }
        long nanos = System.nanoTime();
        attempt.beforeSave();
        SessionState state = session.save();
        state.firstNotFinite().ifPresent(name -> {
            throw diverged("a value of %s is not finite".formatted(name), at.step());
        });
        attempt.save(new Checkpoint(
                state, targets, at, session.threads(), session.choices(), attempt.number(), attempt.unacknowledged()));
        begunStep = at.step();
        begunNanos = System.nanoTime();
        clock.checkpointTook(microsSince(nanos));
    }

    private int testBatches() {
        return Math.ceilDiv(workload.dataset().test().size(), workload.batchSize());
    }

    private long samples(Progress begin, Progress end) {
        int all = workload.dataset().train().size();
        return Math.min(all, (long) end.stepOfEpoch() * workload.batchSize())
                - (long) begin.stepOfEpoch() * workload.batchSize();
    }

    Finished finished(Progress end) {
        return new Finished(
                job.id(),
                attempt.number(),
                end.step(),
                job.loss().isRegression() ? null : end.bestAccuracy(),
                stepTimes.median(),
                stepTimes.p95(),
                stepTimes.p99(),
                microsSince(startNanos) / 1000,
                session.save().model().sha256(),
                end.epoch() == job.epochs()
                        ? null
                        : EarlyStop.reason(job, end, part).orElse(null),
                Double.isNaN(end.bestTestLoss()) ? null : end.bestTestLoss(),
                null,
                job.metric(),
                job.metric() == null ? null : job.metric().score(end.bestScore()));
    }

    private static long microsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1000;
    }
}
