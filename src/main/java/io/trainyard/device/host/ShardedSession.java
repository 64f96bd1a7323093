package io.trainyard.device.host;

import io.trainyard.data.Dataset;
import io.trainyard.device.Augmentation.Change;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.EvenPart;
import io.trainyard.device.SampleWeights;
import io.trainyard.device.Workload;
import io.trainyard.device.session.BackendSession;
import io.trainyard.random.TorchRandom;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/// A session whose batches are cut into shards, one for each thread of a team. A step: every shard computes its
/// samples' gradients; then every thread sums a range of them and updates it. Where several devices share a batch,
/// all their shards do: each device sums and updates its own threads' ranges, and copies the others.
public abstract class ShardedSession extends BackendSession {
    private final int threads;
    private final SampleWeights weights;
    private final ThreadTeam team;
    private final double[] shardLosses;
    private final float[] losses; // of the epoch's steps
    private long drawNanos; // spent drawing, while all threads wait

    /// @param part of every batch, which the shards share
    /// @param threads CPU threads of all shards together
    /// @param shards their number, and the team's
    protected ShardedSession(Workload workload, EvenPart part, int threads, int shards) {
        super(workload, part);
        this.threads = threads;
        this.weights = workload.sampleWeights();
        this.shardLosses = new double[shards];
        this.losses = new float[workload.stepsPerEpoch()];
        this.team = new ThreadTeam(shards);
    }

    protected abstract BatchShard shard(int number);

    /// Draws what the shards need of the epoch's generator before they train.
    ///
    /// @param samples of the batch
    protected abstract void draw(TorchRandom random, int samples);

    /// Sums the shards' gradients, those of other devices too, always in the same order, and takes the optimizer's
    /// step, for one part of the parameters: each thread has its own.
    protected abstract void update(ParameterUpdate update, EvenPart range);

    /// Has each of the team's threads do its part of a step.
    protected abstract void together(IntConsumer part);

    /// Called once, by the thread that closes the session, before the team ends.
    protected abstract void closeShards();

    protected final ThreadTeam team() {
        return team;
    }

    @Override
    public final int threads() {
        return threads;
    }

    @Override
    protected final void computeOwnGradients() {
        EpochPlan plan = cursor().plan();
        int from = cursor().firstSample();
        int samples = cursor().samples();
        long begin = System.nanoTime();
        List<Change> changes = workload().augmentation().draw(plan.random(), samples);
        draw(plan.random(), samples);
        drawNanos += System.nanoTime() - begin;
        together(t -> shardLosses[t] = shard(t).train(plan.order(), from, samples, changes));
        double loss = 0;
        for (double shardLoss : shardLosses) {
            loss += shardLoss;
        }
        losses[cursor().step()] =
                Workload.meanLoss(loss, weights.sum(workload().dataset().train(), plan.order(), from, samples));
    }

    /// Shards are as large as one another, so the first stands for all.
    @Override
    public final OptionalLong batchNanos() {
        return OptionalLong.of(drawNanos + shard(0).batchNanos());
    }

    @Override
    protected final void updateOwnRange(long step) {
        ParameterUpdate update = ParameterUpdate.of(cursor().optimizer(), cursor().learningRate(), step);
        together(t -> update(update, part().piece(t, shardLosses.length)));
    }

    @Override
    protected final float[] losses(int first, int end) {
        return Arrays.copyOfRange(losses, first, end);
    }

    @Override
    public final Evaluation evaluate() {
        Dataset.Split test = workload().dataset().test();
        float[] sampleLosses = new float[test.size()];
        int[] predictions = new int[test.size()];
        runTest((crossEntropy, logits, from, samples) ->
                crossEntropy.evaluate(logits, test, from, samples, sampleLosses, predictions));
        return Evaluation.of(workload(), sampleLosses, predictions);
    }

    @Override
    public final float[] predict() {
        int tests = workload().dataset().test().size();
        float[] probabilities =
                new float[Math.multiplyExact(tests, workload().network().classes())];
        runTest((crossEntropy, logits, from, samples) ->
                crossEntropy.probabilities(logits, from, samples, probabilities));
        return probabilities;
    }

    private void runTest(BatchShard.LogitsReader reader) {
        enter();
        int[] order = IntStream.range(0, workload().dataset().test().size()).toArray();
        together(t -> shard(t).test(order, reader));
    }

    @Override
    protected final void free() {
        closeShards();
        team.close();
    }
}
