package io.trainyard.device.host;

import io.trainyard.data.Dataset;
import io.trainyard.device.Augmentation.Change;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.random.TorchRandom;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A session whose batches are cut into shards, one for each thread of a team. A step: every shard computes its
/// samples' gradients; then every thread sums a range of them and updates it.
public abstract class ShardedSession implements LearningSession {
    private final Workload workload;
    private final int threads;
    private final ThreadTeam team;
    private final double[] losses; // one a shard
    private @Nullable EpochPlan plan;
    private int nextStep;
    private boolean closed;

    /// @param threads CPU threads of all shards together
    /// @param shards their number, and the team's
    protected ShardedSession(Workload workload, int threads, int shards) {
        this.workload = workload;
        this.threads = threads;
        this.losses = new double[shards];
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

    /// Sums the shards' gradients, in their order, and takes the optimizer's step, for part `part` of the
    /// parameters; there are as many parts as shards.
    protected abstract void update(ParameterUpdate update, int part);

    /// Called once, by the thread that closes the session, before the team ends.
    protected abstract void closeShards();

    protected final Workload workload() {
        return workload;
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
        enter();
        EpochPlan epoch = epoch();
        workload.requireStepsLeft(nextStep, steps);
        float[] stepLosses = new float[steps];
        for (int i = 0; i < steps; i++) {
            stepLosses[i] = step(epoch);
            nextStep++;
        }
        return stepLosses;
    }

    private EpochPlan epoch() {
        EpochPlan begun = plan;
        if (begun == null) {
            throw new IllegalStateException("no epoch has begun; call beginEpoch first");
        }
        return begun;
    }

    private float step(EpochPlan epoch) {
        int from = nextStep * workload.batchSize();
        int samples = Math.min(workload.batchSize(), epoch.order().length - from);
        List<Change> changes = workload.augmentation().draw(epoch.random(), samples);
        draw(epoch.random(), samples);
        team.run(t -> losses[t] = shard(t).train(epoch.order(), from, samples, changes));
        double learningRate = epoch.learningRates()[nextStep];
        ParameterUpdate update = ParameterUpdate.of(workload.optimizer(), learningRate, countStep());
        team.run(t -> update(update, t));
        double loss = 0;
        for (double shardLoss : losses) {
            loss += shardLoss;
        }
        return (float) (loss / samples);
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
        team.run(t -> shard(t).test(order, reader));
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
