package io.trainyard.device.onednn;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.spec.Network;

/// The processors of this machine.
record OneDnnDevice(DeviceInfo info, OneDnnLibrary library) implements Device {
    /// More threads than any processor's cores here; each costs a stack.
    private static final int MAX_THREADS = 256;

    private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

    @Override
    public LearningSession open(Workload workload) {
        if (workload.estimatedBytes() > info.memoryBytes()) {
            throw new DeviceException(
                    "the network with batches of %d needs about %d MiB, but device %s has %d MiB; choose a smaller batchSize or network"
                            .formatted(
                                    workload.batchSize(),
                                    workload.estimatedBytes() >> 20,
                                    info.name(),
                                    info.memoryBytes() >> 20));
        }
        requireArrays(workload);
        return new OneDnnSession(workload, library, threads(workload));
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

    /// Masks and logits of a batch pass through one Java array.
    private void requireArrays(Workload workload) {
        for (Network.Layer layer : workload.network().layers()) {
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
