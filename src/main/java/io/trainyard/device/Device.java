package io.trainyard.device;

import io.trainyard.spec.Precision;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

public interface Device {
    DeviceInfo info();

    /// The supported precisions, always including [Precision#FP32]; workloads of other precisions are refused.
    default Set<Precision> precisions() {
        return Set.of(Precision.FP32);
    }

    /// The device memory in use, as precisely as it can be measured; empty if it cannot. Used to detect leaks of
    /// sessions.
    default OptionalLong usedMemoryBytes() {
        return OptionalLong.empty();
    }

    /// The driver's current metrics, for each GPU of the device, or the load of a CPU; empty if unknown.
    /// May take long if a GPU is failing.
    ///
    /// @throws DeviceException if the driver has lost the device
    default List<DeviceReading> readings() {
        return List.of();
    }

    /// Compiles a network for this device and loads the dataset. A session must be opened, used and closed on one
    /// thread.
    ///
    /// @throws DeviceException if the device cannot run it, or has not enough memory
    LearningSession open(Workload workload);
}
