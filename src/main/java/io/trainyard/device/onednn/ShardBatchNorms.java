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
    private final BatchNormBarrier meeting;
    private final Map<String, ShardBatchNorm> shares = new LinkedHashMap<>();

    ShardBatchNorms(ModelState state, Network network, int shard, BatchNormBarrier meeting) {
        this.state = state;
        this.layers = network.wholeBatchLayers();
        this.shard = shard;
        this.meeting = meeting;
    }

    ShardBatchNorm of(Network.Layer layer) {
        return shares.computeIfAbsent(layer.name(), _ -> new ShardBatchNorm(state, layer, shard, meeting));
    }

    /// Takes part in the barriers of a step without samples: two for each batch norm. Then it reads the statistics,
    /// which are not overwritten before the next step.
    void meetWithoutSamples() {
        List<ShardBatchNorm> all = layers.stream().map(this::of).toList();
        all.forEach(share -> share.setCount(0));
        for (int i = 0; i < 2 * all.size(); i++) {
            meeting.await(shard);
        }
        all.forEach(ShardBatchNorm::takeForward);
        all.forEach(ShardBatchNorm::takeBackward);
    }
}
