package io.trainyard.device;

/// One device of this machine, ready to be used.
public interface Device {
    DeviceInfo info();

    /// Compiles a network for this device and places the data set there. Open, use and close a session on one
    /// thread.
    ///
    /// @throws DeviceException if the device cannot run it, or has not the memory
    LearningSession open(Workload workload);
}
