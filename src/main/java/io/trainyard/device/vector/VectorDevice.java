package io.trainyard.device.vector;

import io.trainyard.device.DeviceInfo;
import io.trainyard.device.ShardDevice;
import io.trainyard.device.ShardRange;
import io.trainyard.device.ShardSession;
import io.trainyard.device.Workload;
import io.trainyard.spec.Network;
import org.jspecify.annotations.Nullable;

/// The CPUs of this machine, by our own kernels. Workloads set the number of threads.
public record VectorDevice(DeviceInfo info) implements ShardDevice {
    public static boolean computes(Network network) {
        return network.layers().stream().allMatch(layer -> VectorChain.computes(layer.spec()));
    }

    @Override
    public ShardSession open(Workload workload) {
        return openPart(workload, ShardRange.WHOLE, null);
    }

    @Override
    public ShardSession openPart(Workload workload, ShardRange part, @Nullable ShardSession first) {
        if (!computes(workload.network())) {
            throw new IllegalArgumentException("there are no kernels for all layers of the network");
        }
        return new VectorSession(workload, part, Math.max(1, part.size(workload.threads())));
    }
}
