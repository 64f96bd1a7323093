package io.trainyard.device.stack;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.DeviceReading;
import io.trainyard.device.LearningSession;
import io.trainyard.device.StackingDevice;
import io.trainyard.device.Workload;
import io.trainyard.spec.Precision;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/// A device whose sessions are stacked.
record StackedDevice(StackingDevice device, Stacks stacks) implements Device {
    @Override
    public DeviceInfo info() {
        return device.info();
    }

    @Override
    public Set<Precision> precisions() {
        return device.precisions();
    }

    @Override
    public OptionalLong usedMemoryBytes() {
        return device.usedMemoryBytes();
    }

    @Override
    public List<DeviceReading> readings() {
        return device.readings();
    }

    @Override
    public LearningSession open(Workload workload) {
        return stacks.open(device, workload);
    }
}
