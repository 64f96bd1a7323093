package io.trainyard.device.host;

import io.trainyard.data.Dataset;
import io.trainyard.device.Augmentation.Change;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Evaluation;
import io.trainyard.device.SampleWeights;
import io.trainyard.device.ShardRange;
import io.trainyard.device.Workload;
import io.trainyard.device.host.GradientUpdate.Clip;
import io.trainyard.device.session.BackendSession;
import io.trainyard.spec.LoopSpec;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/// A session that splits batches into shards, one for each thread of a team. In each step every shard computes its
/// samples' gradients; then every thread sums and updates a range of them. With several devices, each device sums
/// and updates its own threads' ranges over all shards, and copies the other ranges.
public abstract class ShardedSession extends BackendSession {
    private final int threads;
    private final SampleWeights weights;
    private final ThreadTeam team;
    private final BatchMasks masks;
    private final double[] shardLosses;
    private final float[] losses; // of the epoch's steps
    private final double[] squares; // of the gradients that each thread has summed
    private long drawNanos; // spent drawing, while all threads wait

    /// @param part of every batch, which the shards share
    /// @param threads CPU threads of all shards together
    /// @param shards their number, and the team's size
    protected ShardedSession(Workload workload, ShardRange part, int threads, int shards) {
        super(workload, part);
        this.threads = threads;
        this.weights = workload.sampleWeights();
        this.shardLosses = new double[shards];
        this.squares = new double[shards];
        this.losses = new float[workload.stepsPerEpoch()];
        this.masks = new BatchMasks(workload.network(), workload.trains() ? workload.batchSize() : 0);
        this.team = new ThreadTeam(shards);
    }

    protected abstract BatchShard shard(int number);

    /// Sums the gradients of all shards and devices, always in the same order, and takes the optimizer's step, for
    /// the calling thread's part of the parameters.
    ///
    /// @param updates one for each of the optimizer's groups
    protected abstract void update(List<? extends ParameterUpdate> updates, ShardRange range);

    /// Like [#update], after the gradients have been summed by it.
    protected abstract void updateBySums(List<? extends ParameterUpdate> updates, ShardRange range);

    protected abstract void together(IntConsumer part);

    /// Called once, on the thread that closes the session, before the team ends.
    protected abstract void closeShards();

    protected final ThreadTeam team() {
        return team;
    }

    /// The masks of the current batch, drawn before the shards train.
    protected final BatchMasks masks() {
        return masks;
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
        masks.draw(plan.random(), samples);
        drawNanos += System.nanoTime() - begin;
        together(t -> shardLosses[t] = shard(t).train(plan.order(), from, samples, changes));
        double loss = 0;
        for (double shardLoss : shardLosses) {
            loss += shardLoss;
        }
        losses[cursor().step()] =
                Workload.meanLoss(loss, weights.sum(workload().dataset().train(), plan.order(), from, samples));
    }

    /// From the first shard, because all have the same size.
    @Override
    public final OptionalLong batchNanos() {
        return OptionalLong.of(drawNanos + shard(0).batchNanos());
    }

    @Override
    protected final void gatherOwnRange() {
        together(t -> {
            GradientUpdate gather = GradientUpdate.gather(workload().update());
            update(Collections.nCopies(groups(), gather), part().piece(t, squares.length));
            squares[t] = gather.squares();
        });
    }

    /// Summed in the order of the threads.
    @Override
    protected final double ownSquares() {
        return DoubleStream.of(squares).sum();
    }

    @Override
    protected final void updateOwnRange(long step) {
        LoopSpec loop = workload().loop();
        if (loop.isPlain()) {
            summed(ofGroups(group -> optimizersStep(group, step)));
        } else if (loop.maxNorm().isPresent()) {
            if (updates()) {
                Clip clip = new Clip(Float.POSITIVE_INFINITY, clipCoefficient(loop.maxNorm()));
                List<GradientUpdate> updates =
                        ofGroups(group -> GradientUpdate.step(workload().update(), loopsStep(group, step, clip)));
                together(t -> updateBySums(updates, part().piece(t, shardLosses.length)));
            }
        } else {
            Clip clip = new Clip((float) loop.maxValue().orElse(Double.POSITIVE_INFINITY), 1);
            summed(ofGroups(group -> updates()
                    ? GradientUpdate.gatherAndStep(workload().update(), loopsStep(group, step, clip))
                    : GradientUpdate.gather(workload().update())));
        }
    }

    private int groups() {
        return workload().optimizer().groupCount();
    }

    private <T> List<T> ofGroups(IntFunction<T> update) {
        return IntStream.range(0, groups()).mapToObj(update).toList();
    }

    private void summed(List<? extends ParameterUpdate> updates) {
        together(t -> update(updates, part().piece(t, shardLosses.length)));
    }

    private ParameterUpdate optimizersStep(int group, long step) {
        return ParameterUpdate.of(cursor().optimizer(group), cursor().learningRate(group), step);
    }

    private GradientUpdate.Step loopsStep(int group, long step, Clip clip) {
        return new GradientUpdate.Step(optimizersStep(group, step), step, clip);
    }

    @Override
    protected final float[] losses(int first, int end) {
        return Arrays.copyOfRange(losses, first, end);
    }

    @Override
    protected final Evaluation test() {
        Dataset.Split test = workload().dataset().test();
        BatchLoss.Tested results =
                new BatchLoss.Tested(new float[test.size()], new int[test.size()], new float[test.size()]);
        runTest((loss, outputs, from, samples) -> loss.evaluate(outputs, test, from, samples, results));
        return workload().loss().isRegression()
                ? Evaluation.ofNumbers(workload(), results.losses(), results.absoluteErrors())
                : Evaluation.of(workload(), results.losses(), results.classes());
    }

    @Override
    protected final float[] probabilities() {
        int tests = workload().dataset().test().size();
        float[] predictions =
                new float[Math.multiplyExact(tests, workload().network().classes())];
        runTest((loss, outputs, from, samples) -> loss.predict(outputs, from, samples, predictions));
        return predictions;
    }

    private void runTest(BatchShard.OutputReader reader) {
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
