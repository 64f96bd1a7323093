package io.trainyard.device.onednn;

import io.trainyard.device.PartMeeting;
import io.trainyard.device.host.Meeting;
import io.trainyard.spec.Network;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Where the shards of a session meet at batch norms, and what they tell one another there. Where several
/// devices train together, their shards meet all others: first among themselves, then the first of each
/// device those of the other devices, then among themselves again.
final class NormMeeting {
    private final Meeting shards;
    private final Map<String, BatchSums> own = new LinkedHashMap<>(); // by the layers' names
    private List<NormMeeting> all = List.of(this); // the devices', in their order
    private PartMeeting devices = () -> {};

    NormMeeting(Network network, int count, Meeting shards) {
        this.shards = shards;
        for (Network.Layer layer : network.wholeBatchLayers()) {
            own.put(layer.name(), new BatchSums(count, layer.in().size(0)));
        }
    }

    /// @param meetings of all devices, in their order, with this one
    void join(List<NormMeeting> meetings, PartMeeting newDevices) {
        all = meetings;
        devices = newDevices;
    }

    boolean isFirst() {
        return all.getFirst().equals(this);
    }

    /// Returns when all shards of all devices have come; what they wrote before is seen.
    ///
    /// @param shard the caller's number in its session
    void await(int shard) {
        shards.await(shard);
        if (all.size() > 1) {
            if (shard == 0) {
                devices.await();
            }
            shards.await(shard);
        }
    }

    /// What this device's shards write.
    BatchSums own(Network.Layer layer) {
        return Objects.requireNonNull(own.get(layer.name()));
    }

    /// What all devices' shards have written, in their order.
    List<BatchSums> all(Network.Layer layer) {
        return all.stream().map(meeting -> meeting.own(layer)).toList();
    }
}
