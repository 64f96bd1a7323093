package io.trainyard.device.onednn;

import io.trainyard.spec.Network;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A shard's views of the batch norms of the network.
final class ShardBatchNorms {
    private final ModelState state;
    private final List<Network.Layer> layers;
    private final int shard;
    private final BatchNormBarrier barrier;
    private final Map<String, ShardBatchNorm> shares = new LinkedHashMap<>();

    ShardBatchNorms(ModelState state, Network network, int shard, BatchNormBarrier barrier) {
        this.state = state;
        this.layers = network.wholeBatchLayers();
        this.shard = shard;
        this.barrier = barrier;
    }

    ShardBatchNorm of(Network.Layer layer) {
        return shares.computeIfAbsent(layer.name(), _ -> new ShardBatchNorm(state, layer, shard, barrier));
    }

    /// Takes part in the barriers of a step without samples: two for each batch norm. Then it reads the statistics,
    /// which are not overwritten before the next step.
    void awaitWithoutSamples() {
        List<ShardBatchNorm> all = layers.stream().map(this::of).toList();
        all.forEach(share -> share.setCount(0));
        for (int i = 0; i < 2 * all.size(); i++) {
            barrier.await(shard);
        }
        all.forEach(ShardBatchNorm::combineForward);
        all.forEach(ShardBatchNorm::combineBackward);
    }
}
