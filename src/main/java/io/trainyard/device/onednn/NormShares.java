package io.trainyard.device.onednn;

import io.trainyard.spec.Network;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A shard's shares in the batch norms of the network.
final class NormShares {
    private final ModelState state;
    private final List<Network.Layer> layers;
    private final int shard;
    private final NormMeeting meeting;
    private final Map<String, NormShare> shares = new LinkedHashMap<>();

    NormShares(ModelState state, Network network, int shard, NormMeeting meeting) {
        this.state = state;
        this.layers = network.wholeBatchLayers();
        this.shard = shard;
        this.meeting = meeting;
    }

    NormShare of(Network.Layer layer) {
        return shares.computeIfAbsent(layer.name(), _ -> new NormShare(state, layer, shard, meeting));
    }

    /// What a shard without samples does in a step: comes as often as the others meet, twice for each batch norm, and
    /// then takes in what they have told, which nobody writes over before the next step.
    void meetWithoutSamples() {
        List<NormShare> all = layers.stream().map(this::of).toList();
        all.forEach(share -> share.setCount(0));
        for (int i = 0; i < 2 * all.size(); i++) {
            meeting.await(shard);
        }
        all.forEach(NormShare::takeForward);
        all.forEach(NormShare::takeBackward);
    }
}
