package io.trainyard.training;

import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.CheckpointRef;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Progress;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.JobSpec;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.commons.math3.stat.descriptive.rank.PSquarePercentile;

/// The training loop of one attempt.
final class Trainer {
    private final JobSpec job;
    private final int attempt;
    private final Workload workload;
    private final LearningSession session;
    private final JobFolder folder;
    private final Consumer<TrainingEvent> events;
    private final BooleanSupplier stopRequested;

    private final long startNanos = System.nanoTime();
    private final Pace pace = new Pace();

    /// Jain and Chlamtac's P-square estimate (CACM 1985): the median in constant memory. Steps of a block count as
    /// equally long.
    private final PSquarePercentile medianStepMicros = new PSquarePercentile(50);

    Trainer(
            JobSpec job,
            int attempt,
            Workload workload,
            LearningSession session,
            JobFolder folder,
            Consumer<TrainingEvent> events,
            BooleanSupplier stopRequested) {
        this.job = job;
        this.attempt = attempt;
        this.workload = workload;
        this.session = session;
        this.folder = folder;
        this.events = events;
        this.stopRequested = stopRequested;
    }

    /// Trains from `from` to the job's end, or to the step at which a stop is requested.
    ///
    /// @return where the job stands then
    Progress train(Progress from) {
        Progress at = from;
        while (at.epoch() < job.epochs()) {
            TorchRandom random = TorchRandom.restore(at.random());
            double[] learningRates = new double[workload.stepsPerEpoch()];
            Arrays.fill(learningRates, job.optimizer().learningRate());
            session.beginEpoch(EpochDraws.train(workload, job.shuffle(), learningRates, random), at.stepOfEpoch());

            long epochNanos = System.nanoTime();
            Progress begin = at;
            while (at.stepOfEpoch() < workload.stepsPerEpoch()) {
                if (stopRequested.getAsBoolean()) {
                    save(at);
                    return at;
                }
                at = at.plus(advance(at));
            }
            long trainMicros = microsSince(epochNanos);

            long testNanos = System.nanoTime();
            Evaluation test = session.evaluate();
            EpochDraws.test(random);
            events.accept(tested(at, test, samples(begin, at), trainMicros, microsSince(testNanos)));

            at = at.nextEpoch(random.state(), test.accuracy());
            if (at.epoch() % job.checkpointEveryEpochs() == 0 || at.epoch() == job.epochs()) {
                save(at);
            }
        }
        return at;
    }

    /// Trains one block of steps and tells their losses.
    private int advance(Progress at) {
        int steps = pace.steps(workload.stepsPerEpoch() - at.stepOfEpoch());
        long nanos = System.nanoTime();
        float[] losses = session.advance(steps);
        long micros = microsSince(nanos);
        pace.took(steps, micros);
        for (int i = 0; i < steps; i++) {
            medianStepMicros.increment(micros / (double) steps);
        }
        events.accept(new StepLosses(job.id(), attempt, at.epoch(), at.step() + 1, losses, microsSince(startNanos)));
        return steps;
    }

    private void save(Progress at) {
        SessionState state = session.save();
        CheckpointRef ref = folder.save(new Checkpoint(state, at, session.threads(), attempt));
        events.accept(new CheckpointSaved(
                job.id(), attempt, ref.uri().toString(), ref.sha256(), ref.bytes(), at.epochOfLastStep(), at.step()));
    }

    private EpochTested tested(Progress at, Evaluation test, long samples, long trainMicros, long testMicros) {
        return new EpochTested(
                job.id(),
                attempt,
                at.epoch(),
                at.step(),
                test.testLoss(),
                test.accuracy(),
                test.classAccuracy(),
                test.confusion(),
                trainMicros / 1000,
                testMicros / 1000,
                samples * 1e6 / Math.max(1, trainMicros));
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
                attempt,
                end.step(),
                end.bestAccuracy(),
                medianStepMicros.getResult(),
                microsSince(startNanos) / 1000,
                session.save().model().sha256());
    }

    private static long microsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1000;
    }
}
