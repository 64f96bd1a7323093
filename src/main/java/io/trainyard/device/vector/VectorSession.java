package io.trainyard.device.vector;

import io.trainyard.device.ShardRange;
import io.trainyard.device.ShardSession;
import io.trainyard.device.Workload;
import io.trainyard.device.host.BatchShard;
import io.trainyard.device.host.GradientSum;
import io.trainyard.device.host.ParameterUpdate;
import io.trainyard.device.host.ShardedSession;
import io.trainyard.device.session.StateTable;
import io.trainyard.spec.Network;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/// Computes shards with our own kernels, each on one thread.
final class VectorSession extends ShardedSession {
    /// Fewer samples leave rows of the kernels' tiles unused.
    private static final int MIN_CHUNK = 4;

    /// In elements: with the gradients of two shards and the optimizer's state, about a first-level cache.
    private static final int UPDATE_BLOCK = 4096;

    private final FlatModel model;
    private final StateTable state;
    private final List<VectorShard> shards = new ArrayList<>();
    private final List<float[]> gradients = new ArrayList<>(); // of all shards: this session's first
    private final List<VectorSession> others = new ArrayList<>(); // of the other devices

    VectorSession(Workload workload, ShardRange part, int threads) {
        super(workload, part, threads, threads);
        Network network = workload.network();
        model = new FlatModel(network, workload.update());
        state = new StateTable(network.parameters(), workload.update(), model);
        int chunk = chunk(network, Math.ceilDiv(workload.batchSize(), part.count() * threads));
        try {
            for (int t = 0; t < threads; t++) {
                ShardRange tests = new ShardRange(t, threads);
                shards.add(new VectorShard(workload, model, masks(), chunk, part.piece(t, threads), tests));
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
        shards.forEach(shard -> gradients.add(shard.gradients()));
    }

    @Override
    protected void connect(ShardSession session) {
        VectorSession other = (VectorSession) session;
        others.add(other);
        other.shards.forEach(shard -> gradients.add(shard.gradients()));
    }

    /// The number of samples that take about as much memory as the parameters and their gradients: with fewer, the
    /// parameters would be read more often than the samples; with more, the samples would not fit into the cache.
    /// All chunks of a share have the same size.
    private static int chunk(Network network, int share) {
        long fitting = Math.ceilDiv(2 * network.parameterElements(), network.activationElements());
        int chunks = Math.ceilDiv(share, (int) Math.clamp(fitting, MIN_CHUNK, Integer.MAX_VALUE));
        return Math.ceilDiv(share, chunks);
    }

    @Override
    protected BatchShard shard(int number) {
        return shards.get(number);
    }

    @Override
    protected StateTable state() {
        return state;
    }

    @Override
    protected void takeOverParameters() {
        others.forEach(other -> model.copyValues(other.model, other.part()));
    }

    @Override
    protected void takeOverSlots() {
        others.forEach(other -> model.copyState(other.model, other.part()));
    }

    /// Works in blocks, so that the sums are still in the cache when they are used. The sums overwrite the first
    /// gradients, in a range that no other thread reads.
    @Override
    protected void update(List<? extends ParameterUpdate> updates, ShardRange range) {
        float[] sum = gradients.getFirst();
        forBlocks(range, (group, from, to) -> {
            for (float[] more : gradients.subList(1, gradients.size())) {
                GradientSum.add(sum, more, from, to);
            }
            updates.get(group).apply(model.values(), sum, model.state(), from, to);
        });
    }

    @Override
    protected void updateBySums(List<? extends ParameterUpdate> updates, ShardRange range) {
        forBlocks(
                range,
                (group, from, to) ->
                        updates.get(group).apply(model.values(), gradients.getFirst(), model.state(), from, to));
    }

    /// A block of parameters of one of the optimizer's groups.
    private interface Block {
        void update(int group, int from, int to);
    }

    private void forBlocks(ShardRange range, Block block) {
        for (int group = 0; group < workload().optimizer().groupCount(); group++) {
            int end = Math.min(model.end(range), model.groupEnd(group));
            int begin = Math.max(model.begin(range), group == 0 ? 0 : model.groupEnd(group - 1));
            for (int from = begin; from < end; from += UPDATE_BLOCK) {
                block.update(group, from, Math.min(end, from + UPDATE_BLOCK));
            }
        }
    }

    /// A shard computes the same numbers on any thread.
    @Override
    protected void together(IntConsumer part) {
        team().share(part);
    }

    /// They only use heap memory.
    @Override
    protected void closeShards() {}
}
