package io.trainyard.training;

import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.Progress;
import io.trainyard.device.LearningSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.JobSpec;
import java.util.Arrays;

/// The training loop of one attempt.
final class Trainer {
    private final Attempt attempt;
    private final JobSpec job;
    private final Workload workload;
    private final LearningSession session;

    private final long startNanos = System.nanoTime();
    private final Pace pace = new Pace();

    private final StepTimes stepTimes = new StepTimes();
    private double[] learningRates = {}; // of the epoch at hand, one a step
    private long savedStep; // of the last checkpoint; 0 without one

    Trainer(Attempt attempt, Workload workload, LearningSession session) {
        this.attempt = attempt;
        this.job = attempt.job();
        this.workload = workload;
        this.session = session;
    }

    /// Trains from `from` to the job's end, or to the step at which a stop is requested.
    ///
    /// @return where the job stands then
    Progress train(Progress from) {
        Progress at = from;
        savedStep = from.step();
        while (!isEnd(at)) {
            TorchRandom random = TorchRandom.restore(at.random());
            learningRates = job.schedule()
                    .learningRates(job.optimizer().learningRate(), at.epoch(), workload.stepsPerEpoch(), job.epochs());
            session.beginEpoch(EpochDraws.train(workload, job.shuffle(), learningRates, random), at.stepOfEpoch());

            long epochNanos = System.nanoTime();
            Progress begin = at;
            while (at.stepOfEpoch() < workload.stepsPerEpoch()) {
                if (attempt.stopRequested()) {
                    save(at);
                    return at;
                }
                at = advance(at);
            }
            long trainMicros = microsSince(epochNanos);

            TestPass test = TestPass.run(session, at.epoch(), at.step());
            if (!test.isFinite()) {
                throw diverged("the test loss is " + test.result().testLoss(), at.step());
            }
            EpochDraws.test(random);
            attempt.tell(test.event(attempt, samples(begin, at), trainMicros));

            at = at.nextEpoch(random.state(), test.result().accuracy(), test.micros());
            if (at.epoch() % job.checkpointEveryEpochs() == 0 || isEnd(at)) {
                save(at);
            }
        }
        return at;
    }

    /// Whether the job is done there: all epochs are, or a condition of its own ends it.
    boolean isEnd(Progress at) {
        return at.epoch() == job.epochs()
                || EarlyStop.reason(job.stopWhen(), at).isPresent();
    }

    /// Trains one block of steps and tells their losses.
    private Progress advance(Progress at) {
        int steps = pace.steps(workload.stepsPerEpoch() - at.stepOfEpoch());
        long nanos = System.nanoTime();
        float[] losses = session.advance(steps);
        long micros = microsSince(nanos);
        pace.took(steps, micros);
        stepTimes.took(steps, micros);
        int finite = 0;
        while (finite < steps && Float.isFinite(losses[finite])) {
            finite++;
        }
        float[] told = finite == steps ? losses : Arrays.copyOf(losses, finite + 1);
        double learningRate = learningRates[at.stepOfEpoch() + told.length - 1];
        attempt.tell(new StepLosses(
                job.id(), attempt.number(), at.epoch(), at.step() + 1, told, microsSince(startNanos), learningRate));
        if (finite < steps) {
            throw diverged("the loss is " + losses[finite], at.step() + 1 + finite);
        }
        return at.plus(steps, micros);
    }

    private DivergedException diverged(String what, long step) {
        return new DivergedException(
                "%s at step %d, where the learning rate is %s; %s. A smaller learning rate may help, or images that are normalized"
                        .formatted(
                                what,
                                step,
                                learningRates[Math.floorMod(step - 1, learningRates.length)],
                                savedStep == 0
                                        ? "no checkpoint was saved before"
                                        : "what was trained before is in the checkpoint \"%s/%d\", which another job can start from with initFrom"
                                                .formatted(attempt.folder().name(), savedStep)));
    }

    private void save(Progress at) {
        SessionState state = session.save();
        state.firstNotFinite().ifPresent(name -> {
            throw diverged("a value of %s is not finite".formatted(name), at.step());
        });
        attempt.save(new Checkpoint(state, at, session.threads(), attempt.number()));
        savedStep = at.step();
    }

    private long samples(Progress begin, Progress end) {
        int all = workload.dataset().train().size();
        return Math.min(all, (long) end.stepOfEpoch() * workload.batchSize())
                - (long) begin.stepOfEpoch() * workload.batchSize();
    }

    /// The event that ends the job.
    Finished finished(Progress end) {
        return new Finished(
                job.id(),
                attempt.number(),
                end.step(),
                end.bestAccuracy(),
                stepTimes.median(),
                stepTimes.p95(),
                stepTimes.p99(),
                microsSince(startNanos) / 1000,
                session.save().model().sha256(),
                end.epoch() == job.epochs()
                        ? null
                        : EarlyStop.reason(job.stopWhen(), end).orElse(null));
    }

    private static long microsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1000;
    }
}
