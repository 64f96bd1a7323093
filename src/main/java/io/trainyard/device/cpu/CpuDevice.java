package io.trainyard.device.cpu;

import com.sun.management.OperatingSystemMXBean;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.DeviceReading;
import io.trainyard.device.ShardDevice;
import io.trainyard.device.ShardRange;
import io.trainyard.device.ShardSession;
import io.trainyard.device.Workload;
import io.trainyard.device.onednn.OneDnnDevice;
import io.trainyard.device.onednn.OneDnnLibrary;
import io.trainyard.device.vector.VectorDevice;
import io.trainyard.spec.Precision;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

final class CpuDevice implements ShardDevice {
    /// More threads than cores on any supported CPU; each costs a stack.
    private static final int MAX_THREADS = 256;

    private final DeviceInfo info;
    private final Set<Precision> precisions;
    private final VectorDevice narrow;
    private final OneDnnDevice wide;
    private final WarmUp warmUp;

    CpuDevice(DeviceInfo info, OneDnnLibrary library, Set<Precision> precisions) {
        this.info = info;
        this.precisions = precisions;
        narrow = new VectorDevice(info);
        wide = new OneDnnDevice(info, library);
        warmUp = new WarmUp(narrow, wide);
    }

    @Override
    public DeviceInfo info() {
        return info;
    }

    /// The load of this process, as a share of all processors. Its memory is in the heartbeat.
    @Override
    public List<DeviceReading> readings() {
        double load =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuLoad();
        Double utilization = load < 0 || Double.isNaN(load) ? null : load;
        return List.of(new DeviceReading(info.name(), utilization, null, null, null, null, null));
    }

    WarmUp warmUp() {
        return warmUp;
    }

    @Override
    public Set<Precision> precisions() {
        return precisions;
    }

    /// Only native memory: networks of the vector kernels are on the Java heap.
    @Override
    public OptionalLong usedMemoryBytes() {
        return NativeHeap.usedBytes();
    }

    @Override
    public ShardSession open(Workload workload) {
        return openPart(workload, ShardRange.WHOLE, null);
    }

    /// Parts share this machine's CPUs and memory.
    @Override
    public ShardSession openPart(Workload workload, ShardRange part, @Nullable ShardSession first) {
        workload.requirePrecision(info.name(), precisions, CpuBackend.PRECISIONS);
        int samples = Math.ceilDiv(workload.batchSize(), part.count());
        long neededBytes = part.count() * workload.estimatedBytes(samples);
        if (neededBytes > info.memoryBytes()) {
            throw new DeviceMemoryException(
                    "the network with batches of %d needs about %d MiB, but device %s has %d MiB; choose a smaller batchSize or network"
                            .formatted(workload.batchSize(), neededBytes >> 20, info.name(), info.memoryBytes() >> 20));
        }
        Workload counted = workload.withThreads(threads(workload, samples, part.count()));
        boolean isNarrow = KernelRule.narrow(workload.network(), workload.precision());
        warmUp.once(counted.network(), counted.precision(), counted.optimizer());
        return (isNarrow ? narrow : wide).openPart(counted, part, first);
    }

    /// The total over all `parts`.
    ///
    /// @param samples of a part
    private static int threads(Workload workload, int samples, int parts) {
        int asked = workload.threads();
        if (asked < 0 || asked > MAX_THREADS) {
            throw new DeviceException("%d threads are requested; allowed is 1 to %d, or 0 for this device's own choice"
                    .formatted(asked, MAX_THREADS));
        }
        if (asked > 0) {
            return asked;
        }
        int processors = Math.clamp(
                Runtime.getRuntime().availableProcessors() / (parts * workload.sharers()), 1, MAX_THREADS / parts);
        return parts * ThreadRule.threads(workload.network(), workload.precision(), samples, processors);
    }
}
