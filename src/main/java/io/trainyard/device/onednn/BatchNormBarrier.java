package io.trainyard.device.onednn;

import io.trainyard.device.ShardBarrier;
import io.trainyard.device.host.ThreadBarrier;
import io.trainyard.spec.Network;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The barrier and the exchange of statistics for batch norms. With several devices, the shards of each device wait
/// for each other, then the first shards of all devices, then the shards of each device again.
final class BatchNormBarrier {
    private final ThreadBarrier shards;
    private final Map<String, BatchNormSums> own = new LinkedHashMap<>(); // by layer name
    private List<BatchNormBarrier> all = List.of(this); // of all devices, in order
    private ShardBarrier devices = () -> {};

    BatchNormBarrier(Network network, int count, ThreadBarrier shards) {
        this.shards = shards;
        for (Network.Layer layer : network.wholeBatchLayers()) {
            own.put(layer.name(), new BatchNormSums(count, layer.in().size(0)));
        }
    }

    void join(List<BatchNormBarrier> barriers, ShardBarrier newDevices) {
        all = barriers;
        devices = newDevices;
    }

    boolean isFirst() {
        return all.getFirst().equals(this);
    }

    /// Returns when all shards of all devices have arrived; their earlier writes are visible.
    ///
    /// @param shard the caller's index in its session
    void await(int shard) {
        shards.await(shard);
        if (all.size() > 1) {
            if (shard == 0) {
                devices.await();
            }
            shards.await(shard);
        }
    }

    BatchNormSums own(Network.Layer layer) {
        return Objects.requireNonNull(own.get(layer.name()));
    }

    List<BatchNormSums> all(Network.Layer layer) {
        return all.stream().map(barrier -> barrier.own(layer)).toList();
    }
}
