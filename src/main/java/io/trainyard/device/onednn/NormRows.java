package io.trainyard.device.onednn;

import io.trainyard.device.PartExchange;
import io.trainyard.device.PartLostException;
import io.trainyard.spec.Network;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/// What devices in different processes tell one another at batch norms: the rows of each device's shards, which the
/// others keep as if the device were here. A device without samples does not know where the others are, and learns it.
final class NormRows {
    /// The number of a meeting that one comes to without samples.
    static final int NOWHERE = -1;

    private final List<Network.Layer> layers;
    private final List<NormMeeting> devices;
    private final int own;
    private final ByteBuffer told;

    /// @param layers that meet
    /// @param devices in their order
    /// @param own which of them is in this process
    NormRows(List<Network.Layer> layers, List<NormMeeting> devices, int own) {
        this.layers = layers;
        this.devices = devices;
        this.own = own;
        int most = 0;
        for (NormMeeting device : devices) {
            for (Network.Layer layer : layers) {
                most = Math.max(most, device.own(layer).bytes());
            }
        }
        told = ByteBuffer.allocateDirect(Integer.BYTES + most).order(ByteOrder.LITTLE_ENDIAN);
    }

    /// @param number of the meeting, or [#NOWHERE]
    void meet(PartExchange exchange, int number) {
        told.clear();
        told.putInt(number);
        if (number != NOWHERE) {
            sums(devices.get(own), number).write(told, isBackward(number));
        }
        List<ByteBuffer> all = exchange.gather(told.flip(), told.capacity());
        int meeting = NOWHERE;
        for (ByteBuffer rows : all) {
            meeting = Math.max(meeting, rows.getInt(rows.position()));
        }
        for (int i = 0; i < devices.size(); i++) {
            if (i != own) {
                take(devices.get(i), all.get(i), meeting);
            }
        }
    }

    private void take(NormMeeting device, ByteBuffer rows, int meeting) {
        int number = rows.getInt();
        if (meeting >= 2 * layers.size() || (number != meeting && number != NOWHERE)) {
            throw new PartLostException(
                    "parts of the job are at different batch norms, %d and %d: they do not train the same job"
                            .formatted(number, meeting));
        }
        if (meeting == NOWHERE) {
            return;
        }
        BatchSums sums = sums(device, meeting);
        if (number == NOWHERE) {
            sums.clearCounts();
        } else if (rows.remaining() == sums.bytes()) {
            sums.read(rows, isBackward(meeting));
        } else {
            throw new PartLostException("a part of the job has %d bytes to say at batch norm \"%s\", and not %d"
                    .formatted(rows.remaining(), layers.get(meeting / 2).name(), sums.bytes()));
        }
    }

    private BatchSums sums(NormMeeting device, int number) {
        return device.own(layers.get(number / 2));
    }

    private static boolean isBackward(int number) {
        return number % 2 == 1;
    }
}
