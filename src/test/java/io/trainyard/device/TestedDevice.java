package io.trainyard.device;

import io.trainyard.device.check.CheckWorkload;

/// What the contracts ask of a backend's test.
public interface TestedDevice {
    /// Opened anew for each session.
    Device device();

    /// A workload with all that the device carries from step to step; parameters in the layers 0, 1, 6 and 8.
    default Workload eventful() {
        return CheckWorkload.eventful();
    }
}
