package io.trainyard.device;

import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Precision;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A compute backend, found by `ServiceLoader`: oneDNN, CUDA, plain Java.
public interface DeviceBackend {
    String kind();

    /// Priority for `auto`, which chooses the available backend with the highest rank. 0: never chosen by `auto`.
    int rank();

    /// Why no such device is available, and what to do about it; empty if one is.
    Optional<String> whyUnavailable();

    List<DeviceInfo> devices();

    /// Information for operators, such as the libraries and their paths, one fact on each line.
    default List<String> details() {
        return List.of();
    }

    /// The precisions that this kind of device can support; a model may support fewer.
    default Set<Precision> precisions() {
        return Set.of(Precision.FP32);
    }

    /// Describes how such a device would compute a network. The device need not be present.
    ///
    /// @param batchSize samples in a step
    String computes(Network network, Precision precision, int batchSize);

    /// Warms up this process for such a job, if the first steps would otherwise be slow. Opening a session does the
    /// same; this method allows it to run concurrently with other work.
    default void warmUp(Network network, Precision precision, OptimizerSpec optimizer) {}

    /// Like [#warmUp(Network, Precision, OptimizerSpec)], for any job: each call does a part, the most likely jobs
    /// first.
    default void warmUp() {}

    /// @throws DeviceException if the device is not available; the message has the reason
    Device open(DeviceSpec spec);
}
