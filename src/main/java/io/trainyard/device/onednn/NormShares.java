package io.trainyard.device.onednn;

import io.trainyard.device.host.Meeting;
import io.trainyard.spec.Network;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// A shard's shares in the batch norms of the network, and in which order its programs meet the other shards.
final class NormShares {
    private final ModelState state;
    private final Map<String, BatchSums> sums;
    private final int shard;
    private final Meeting meeting;
    private final Map<String, NormShare> shares = new LinkedHashMap<>();
    private final Set<NormShare> forward = new LinkedHashSet<>();
    private final Set<NormShare> backward = new LinkedHashSet<>();

    /// @param sums what the shards tell one another, by the layers' names
    /// @param shard its number
    NormShares(ModelState state, Map<String, BatchSums> sums, int shard, Meeting meeting) {
        this.state = state;
        this.sums = sums;
        this.shard = shard;
        this.meeting = meeting;
    }

    /// For every batch norm of the network.
    static Map<String, BatchSums> sums(Network network, int shards) {
        Map<String, BatchSums> sums = new LinkedHashMap<>();
        for (Network.Layer layer : network.wholeBatchLayers()) {
            sums.put(layer.name(), new BatchSums(shards, layer.in().size(0)));
        }
        return sums;
    }

    NormShare of(Network.Layer layer) {
        return shares.computeIfAbsent(
                layer.name(),
                name -> new NormShare(state, layer, shard, meeting, Objects.requireNonNull(sums.get(name))));
    }

    /// Called when a training program is built, in the order in which it meets; all programs have the same.
    void meetsForward(NormShare share) {
        forward.add(share);
    }

    void meetsBackward(NormShare share) {
        backward.add(share);
    }

    /// What a shard without samples does in a step: meets the others wherever they do.
    void meetWithoutSamples() {
        forward.forEach(share -> share.meetForward(0));
        backward.forEach(NormShare::meetBackward);
    }
}
