package io.trainyard.device.reference;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.spec.Network;

record ReferenceDevice(DeviceInfo info) implements Device {
    @Override
    public LearningSession open(Workload workload) {
        workload.requirePrecision(info.name(), precisions(), precisions());
        if (workload.estimatedBytes() > info.memoryBytes()) {
            throw new DeviceMemoryException(
                    "the network with batches of %d needs about %d KiB, but the Java heap of device %s is %d KiB at most; choose a smaller batchSize or network, or give Java more with -Xmx"
                            .formatted(
                                    workload.batchSize(),
                                    workload.estimatedBytes() >> 10,
                                    info.name(),
                                    info.memoryBytes() >> 10));
        }
        for (Network.Layer layer : workload.network().allLayers()) {
            requireArray(workload.batchSize(), layer.name(), layer.in().elements());
            requireArray(workload.batchSize(), layer.name(), layer.out().elements());
        }
        return new ReferenceSession(workload);
    }

    /// A batch is one Java array.
    private void requireArray(int batchSize, String layer, int elements) {
        if ((long) batchSize * elements > Integer.MAX_VALUE - 8) {
            throw new DeviceException(
                    "layer \"%s\" has %d elements a sample, too many for batches of %d on device %s; allowed is a batchSize up to %d"
                            .formatted(layer, elements, batchSize, info.name(), (Integer.MAX_VALUE - 8) / elements));
        }
    }
}
