package io.trainyard.device.host;

import io.trainyard.data.Dataset;
import io.trainyard.device.Augmentation.Change;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.EvenPart;
import io.trainyard.device.PartSession;
import io.trainyard.device.Workload;
import io.trainyard.random.TorchRandom;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A session whose batches are cut into shards, one for each thread of a team. A step: every shard computes its
/// samples' gradients; then every thread sums a range of them and updates it. Where several devices share a batch,
/// all their shards do: each device sums and updates its own threads' ranges, and copies the others.
public abstract class ShardedSession implements PartSession {
    private final Workload workload;
    private final EvenPart part;
    private final int threads;
    private final ThreadTeam team;
    private final double[] shardLosses;
    private @Nullable EpochPlan plan;
    private int nextStep;
    private float[] losses = {}; // of the steps that were begun
    private int firstStep; // of them
    private boolean closed;

    /// @param part of every batch, which the shards share
    /// @param threads CPU threads of all shards together
    /// @param shards their number, and the team's
    protected ShardedSession(Workload workload, EvenPart part, int threads, int shards) {
        this.workload = workload;
        this.part = part;
        this.threads = threads;
        this.shardLosses = new double[shards];
        this.team = new ThreadTeam(shards);
    }

    protected abstract BatchShard shard(int number);

    /// Draws what the shards need of the epoch's generator before they train.
    ///
    /// @param samples of the batch
    protected abstract void draw(TorchRandom random, int samples);

    /// Counts one more step of the optimizer.
    ///
    /// @return its number: 1 for the first
    protected abstract long countStep();

    /// Sums the shards' gradients, those of other devices too, always in the same order, and takes the optimizer's
    /// step, for one part of the parameters: each thread has its own.
    protected abstract void update(ParameterUpdate update, EvenPart range);

    /// Copies what the other devices have updated, if there are any, each its own part.
    protected abstract void fetchParameters();

    /// Has each of the team's threads do its part of a step.
    protected abstract void together(IntConsumer part);

    /// Called once, by the thread that closes the session, before the team ends.
    protected abstract void closeShards();

    protected final Workload workload() {
        return workload;
    }

    /// Of every batch, and of the parameters.
    protected final EvenPart part() {
        return part;
    }

    protected final ThreadTeam team() {
        return team;
    }

    /// Of the epoch that has begun.
    protected final TorchRandom random() {
        return epoch().random();
    }

    /// Every public method begins with it.
    ///
    /// @throws IllegalStateException if the session is closed
    protected void enter() {
        if (closed) {
            throw new IllegalStateException("the session is closed; open another");
        }
    }

    @Override
    public final int threads() {
        return threads;
    }

    @Override
    public final void beginEpoch(EpochPlan newPlan, int firstStep) {
        enter();
        workload.requirePlan(newPlan, firstStep);
        newPlan.random().skip(workload.drawnWords(firstStep));
        plan = newPlan;
        nextStep = firstStep;
    }

    @Override
    public final float[] advance(int steps) {
        if (part.count() > 1) {
            throw new IllegalStateException(
                    "the session computes a part of each batch; take its steps with the others");
        }
        beginSteps(steps);
        for (int i = 0; i < steps; i++) {
            computeGradients();
            update();
        }
        return endSteps();
    }

    @Override
    public final void beginSteps(int steps) {
        enter();
        var unusedPlan = epoch();
        workload.requireStepsLeft(nextStep, steps);
        losses = new float[steps];
        firstStep = nextStep;
    }

    private EpochPlan epoch() {
        EpochPlan begun = plan;
        if (begun == null) {
            throw new IllegalStateException("no epoch has begun; call beginEpoch first");
        }
        return begun;
    }

    @Override
    public final void computeGradients() {
        fetchParameters();
        EpochPlan epoch = epoch();
        int from = nextStep * workload.batchSize();
        int samples = Math.min(workload.batchSize(), epoch.order().length - from);
        List<Change> changes = workload.augmentation().draw(epoch.random(), samples);
        draw(epoch.random(), samples);
        together(t -> shardLosses[t] = shard(t).train(epoch.order(), from, samples, changes));
        double loss = 0;
        for (double shardLoss : shardLosses) {
            loss += shardLoss;
        }
        losses[nextStep - firstStep] = Workload.meanLoss(loss, samples);
    }

    @Override
    public final void update() {
        double learningRate = epoch().learningRates()[nextStep];
        ParameterUpdate update = ParameterUpdate.of(workload.optimizer(), learningRate, countStep());
        together(t -> update(update, part.piece(t, shardLosses.length)));
        nextStep++;
    }

    @Override
    public final float[] endSteps() {
        fetchParameters();
        return losses;
    }

    @Override
    public final Evaluation evaluate() {
        Dataset.Split test = workload.dataset().test();
        float[] sampleLosses = new float[test.size()];
        int[] predictions = new int[test.size()];
        runTest((crossEntropy, logits, from, samples) ->
                crossEntropy.evaluate(logits, test, from, samples, sampleLosses, predictions));
        return Evaluation.of(
                workload.batchSize(), workload.network().classes(), sampleLosses, predictions, test.labels());
    }

    @Override
    public final float[] predict() {
        int tests = workload.dataset().test().size();
        float[] probabilities =
                new float[Math.multiplyExact(tests, workload.network().classes())];
        runTest((crossEntropy, logits, from, samples) ->
                crossEntropy.probabilities(logits, from, samples, probabilities));
        return probabilities;
    }

    private void runTest(BatchShard.LogitsReader reader) {
        enter();
        int[] order = IntStream.range(0, workload.dataset().test().size()).toArray();
        together(t -> shard(t).test(order, reader));
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            closeShards();
            team.close();
        }
    }
}
