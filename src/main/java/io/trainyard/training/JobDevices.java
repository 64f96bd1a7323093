package io.trainyard.training;

import io.trainyard.device.Device;
import io.trainyard.device.Devices;
import io.trainyard.device.parallel.ParallelDevice;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobSpec;
import java.util.List;

/// What jobs run on here.
///
/// @param own the device of this worker: what `auto` means in a job, and a kind without a number, where it is of that
///     kind
record JobDevices(DeviceSpec own) {
    /// @throws io.trainyard.device.DeviceException if a device is not here; says why and what there is
    Device open(JobSpec job) {
        List<DeviceSpec> meant = job.allDevices().stream().map(this::meant).toList();
        return meant.size() > 1 ? ParallelDevice.open(meant) : Devices.open(meant.getFirst());
    }

    private DeviceSpec meant(DeviceSpec named) {
        return named.isAuto() || named.name().equals(own.kind()) ? own : named;
    }
}
