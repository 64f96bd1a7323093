package io.trainyard.device.cpu;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.device.onednn.OneDnnDevice;
import io.trainyard.device.onednn.OneDnnLibrary;
import io.trainyard.device.vector.VectorDevice;

/// The processors of this machine.
record CpuDevice(DeviceInfo info, OneDnnLibrary library) implements Device {
    /// More threads than any processor's cores here; each costs a stack.
    private static final int MAX_THREADS = 256;

    @Override
    public LearningSession open(Workload workload) {
        workload.requirePrecision(info.name(), precisions());
        if (workload.estimatedBytes() > info.memoryBytes()) {
            throw new DeviceException(
                    "the network with batches of %d needs about %d MiB, but device %s has %d MiB; choose a smaller batchSize or network"
                            .formatted(
                                    workload.batchSize(),
                                    workload.estimatedBytes() >> 20,
                                    info.name(),
                                    info.memoryBytes() >> 20));
        }
        Workload counted = workload.withThreads(threads(workload));
        return KernelRule.narrow(workload.network())
                ? new VectorDevice(info).open(counted)
                : new OneDnnDevice(info, library).open(counted);
    }

    private static int threads(Workload workload) {
        int asked = workload.threads();
        if (asked < 0 || asked > MAX_THREADS) {
            throw new DeviceException("%d threads are asked for; allowed is 1 to %d, or 0 for this device's own choice"
                    .formatted(asked, MAX_THREADS));
        }
        int processors = Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors());
        return asked > 0 ? asked : ThreadRule.threads(workload.network(), workload.batchSize(), processors);
    }
}
