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

    /// Takes part in the barriers of a step without samples: one for each batch norm, and another one for each that is
    /// differentiated. Then it reads the statistics, which are not overwritten before the next step.
    void awaitWithoutSamples() {
        List<ShardBatchNorm> all = layers.stream().map(this::of).toList();
        all.forEach(share -> share.setCount(0));
        List<Network.Layer> backward =
                layers.stream().filter(Network.Layer::isDifferentiated).toList();
        for (int i = 0; i < layers.size() + backward.size(); i++) {
            barrier.await(shard);
        }
        all.forEach(ShardBatchNorm::combineForward);
        backward.forEach(layer -> of(layer).combineBackward());
    }
}
