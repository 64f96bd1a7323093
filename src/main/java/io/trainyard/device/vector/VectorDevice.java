package io.trainyard.device.vector;

import io.trainyard.device.DeviceInfo;
import io.trainyard.device.EvenPart;
import io.trainyard.device.PartDevice;
import io.trainyard.device.PartSession;
import io.trainyard.device.Workload;
import io.trainyard.spec.Network;
import org.jspecify.annotations.Nullable;

/// The CPUs of this machine, by our own kernels. Workloads set the number of threads.
public record VectorDevice(DeviceInfo info) implements PartDevice {
    /// Whether all of a network's layers have kernels.
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
