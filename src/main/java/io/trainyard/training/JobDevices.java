package io.trainyard.training;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.device.Devices;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobSpec;
import java.util.List;

/// What jobs run on here.
///
/// @param own the device of this worker: what `auto` means in a job, and a kind without a number, where it is of that
///     kind
record JobDevices(DeviceSpec own) {
    /// @throws DeviceException if a device is not here; says why and what there is
    Device open(JobSpec job) {
        List<DeviceSpec> meant = job.allDevices().stream().map(this::meant).toList();
        if (meant.size() > 1) {
            throw new DeviceException("this version cannot run a job on several devices; name one with device");
        }
        return Devices.open(meant.getFirst());
    }

    private DeviceSpec meant(DeviceSpec named) {
        return named.isAuto() || named.name().equals(own.kind()) ? own : named;
    }
}
