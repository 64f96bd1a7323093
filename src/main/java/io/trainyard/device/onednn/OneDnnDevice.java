package io.trainyard.device.onednn;

import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.ShardDevice;
import io.trainyard.device.ShardRange;
import io.trainyard.device.ShardSession;
import io.trainyard.device.Workload;
import io.trainyard.spec.Network;
import io.trainyard.spec.Precision;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The CPUs of this machine, by oneDNN. Workloads set the number of threads.
public record OneDnnDevice(DeviceInfo info, OneDnnLibrary library) implements ShardDevice {
    private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

    @Override
    public Set<Precision> precisions() {
        return library.precisions();
    }

    @Override
    public ShardSession open(Workload workload) {
        return openPart(workload, ShardRange.WHOLE, null);
    }

    @Override
    public ShardSession openPart(Workload workload, ShardRange part, @Nullable ShardSession first) {
        requireArrays(workload);
        int threads = Math.max(1, part.size(workload.threads()));
        int shards = shards(workload.network(), part.size(workload.batchSize()), threads);
        return new OneDnnSession(workload, part, library, threads, shards, (OneDnnSession) first);
    }

    /// The number of shards of a batch, each with its own threads; a divisor of `threads`.
    public static int shards(Network network, int batchSize, int threads) {
        return Shards.count(network, batchSize, threads);
    }

    /// Masks and logits of a batch are copied through one Java array.
    private void requireArrays(Workload workload) {
        for (Network.Layer layer : workload.network().allLayers()) {
            int elements = layer.out().elements();
            if ((long) workload.batchSize() * elements > MAX_ARRAY) {
                throw new DeviceException(
                        "layer \"%s\" has %d elements a sample, too many for batches of %d on device %s; allowed is a batchSize up to %d"
                                .formatted(
                                        layer.name(),
                                        elements,
                                        workload.batchSize(),
                                        info.name(),
                                        MAX_ARRAY / elements));
            }
        }
    }
}
