package io.trainyard.device.vector;

import io.trainyard.device.DeviceInfo;
import io.trainyard.device.EvenPart;
import io.trainyard.device.PartDevice;
import io.trainyard.device.PartSession;
import io.trainyard.device.Workload;
import io.trainyard.spec.Network;
import org.jspecify.annotations.Nullable;

/// The processors of this machine, by kernels of our own. Workloads say how many threads they want.
public record VectorDevice(DeviceInfo info) implements PartDevice {
    /// Whether there are kernels for all of a network's layers.
    public static boolean computes(Network network) {
        return network.layers().stream().allMatch(layer -> ChunkChain.computes(layer.spec()));
    }

    @Override
    public PartSession open(Workload workload) {
        return openPart(workload, EvenPart.WHOLE, null);
    }

    @Override
    public PartSession openPart(Workload workload, EvenPart part, @Nullable PartSession first) {
        if (!computes(workload.network())) {
            throw new IllegalArgumentException("there are no kernels for all layers of the network");
        }
        return new VectorSession(workload, part, Math.max(1, part.size(workload.threads())));
    }
}
