package io.trainyard.training;

import io.trainyard.device.Device;
import io.trainyard.device.Devices;
import io.trainyard.device.parallel.ParallelDevice;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import java.util.List;

/// What jobs run on here.
interface JobDevices {
    /// @throws io.trainyard.device.DeviceException if a device is not here; says why and what there is
    Device open(JobSpec job);

    /// Gets what [#open] gives ready for the job, where that takes a while.
    ///
    /// @throws io.trainyard.device.DeviceException as [#open]
    default void warmUp(JobSpec job, Network network) {}

    /// @param own the device of this worker: what `auto` means in a job, and a kind without a number, where it is of
    ///     that kind
    static JobDevices of(DeviceSpec own) {
        return new JobDevices() {
            @Override
            public Device open(JobSpec job) {
                List<DeviceSpec> meant = meant(job);
                return meant.size() > 1 ? ParallelDevice.open(meant) : Devices.open(meant.getFirst());
            }

            @Override
            public void warmUp(JobSpec job, Network network) {
                Devices.backend(meant(job).getFirst()).warmUp(network, job.precision(), job.optimizer());
            }

            private List<DeviceSpec> meant(JobSpec job) {
                return job.allDevices().stream()
                        .map(named -> named.isAuto() || named.name().equals(own.kind()) ? own : named)
                        .toList();
            }
        };
    }
}
