package io.trainyard.training;

import io.trainyard.device.Device;
import io.trainyard.device.Devices;
import io.trainyard.device.parallel.ParallelDevice;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import java.util.List;

/// The devices for jobs in this process.
interface JobDevices {
    /// @throws io.trainyard.device.DeviceException if a device is missing; names the reason and the available
    ///     ones
    Device open(JobSpec job);

    /// Prepares what [#open] returns, if that takes time.
    ///
    /// @throws io.trainyard.device.DeviceException as [#open]
    default void warmUp(JobSpec job, Network network) {}

    /// @param own this worker's device: the meaning of `auto` in a job, and of a kind without a number if the
    ///     kinds match
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
