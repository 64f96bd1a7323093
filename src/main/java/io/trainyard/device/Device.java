package io.trainyard.device;

import io.trainyard.spec.Precision;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/// One device of this machine, ready to be used.
public interface Device {
    DeviceInfo info();

    /// What it can compute in, [Precision#FP32] always; a workload of another precision is refused.
    default Set<Precision> precisions() {
        return Set.of(Precision.FP32);
    }

    /// Memory of the device that is taken now, as exactly as can be told; empty where it cannot. Used to see that
    /// sessions give back all they took.
    default OptionalLong usedMemoryBytes() {
        return OptionalLong.empty();
    }

    /// What the driver says of it now, for each GPU of it; empty where nothing tells. May take long where a GPU is
    /// failing.
    ///
    /// @throws DeviceException if the driver has lost it; says so
    default List<DeviceReading> readings() {
        return List.of();
    }

    /// Compiles a network for this device and places the data set there. Open, use and close a session on one
    /// thread.
    ///
    /// @throws DeviceException if the device cannot run it, or has not the memory
    LearningSession open(Workload workload);
}
