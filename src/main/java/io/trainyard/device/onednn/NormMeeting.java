package io.trainyard.device.onednn;

import io.trainyard.device.EvenPart;
import io.trainyard.device.PartExchange;
import io.trainyard.device.PartMeeting;
import io.trainyard.device.host.Meeting;
import io.trainyard.spec.Network;
import java.nio.ByteBuffer;
import java.util.ArrayList;
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
    private final Network network;
    private final int count; // of shards
    private int at = NormRows.NOWHERE; // the meeting of those who have samples: see [#forward]

    /// @param count of shards
    NormMeeting(Network network, int count, Meeting shards) {
        this.network = network;
        this.count = count;
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

    /// As [#join] with the other devices, which are in other processes.
    void join(PartExchange exchange) {
        List<NormMeeting> meetings = new ArrayList<>();
        EvenPart part = exchange.part();
        List<ByteBuffer> counts =
                exchange.gather(ByteBuffer.allocate(1).put((byte) count).flip(), 1);
        for (int i = 0; i < part.count(); i++) {
            int shardsThere = Byte.toUnsignedInt(counts.get(i).get(0));
            meetings.add(i == part.index() ? this : new NormMeeting(network, shardsThere, shards));
        }
        NormRows rows = new NormRows(network.wholeBatchLayers(), meetings, part.index());
        join(meetings, () -> rows.meet(exchange, at));
    }

    /// The number of a layer's meeting in the forward pass; that of the backward pass is the next one.
    ///
    /// @param layer one of [Network#wholeBatchLayers]
    int forward(Network.Layer layer) {
        return 2 * List.copyOf(own.keySet()).indexOf(layer.name());
    }

    /// Whether it is the first device's.
    boolean isFirst() {
        return all.getFirst().equals(this);
    }

    /// As [#await], of a shard with samples.
    ///
    /// @param number of the meeting: the same for all that have samples
    void await(int shard, int number) {
        at = number;
        await(shard);
    }

    /// Returns when all shards of all devices have come; what they wrote before is seen.
    ///
    /// @param shard the caller's number in its session
    void await(int shard) {
        shards.await(shard);
        if (all.size() > 1) {
            if (shard == 0) {
                devices.await();
                at = NormRows.NOWHERE;
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
