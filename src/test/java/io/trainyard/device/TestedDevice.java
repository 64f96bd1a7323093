package io.trainyard.device;

import io.trainyard.device.check.CheckWorkload;

/// What the contracts need from a backend's test.
public interface TestedDevice {
    /// A new device for each session.
    Device device();

    /// A workload with all state that a device carries between steps. Layers 0, 1, 6 and 8 have parameters.
    default Workload eventful() {
        return CheckWorkload.eventful();
    }
}
