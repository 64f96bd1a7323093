package io.trainyard.device;

import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Precision;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// One way to compute, found by `ServiceLoader`: oneDNN, CUDA, plain Java.
public interface DeviceBackend {
    /// The [DeviceSpec#kind] it answers to, such as `cpu`.
    String kind();

    /// The choice `auto` makes: the available backend with the highest rank. 0: never by itself.
    int rank();

    /// Why there is no such device here, and what to do about it; empty when there is.
    Optional<String> whyUnavailable();

    /// The devices of this kind; empty when unavailable.
    List<DeviceInfo> devices();

    /// What an operator may want to know besides: which libraries compute, from where. A line for each fact.
    default List<String> details() {
        return List.of();
    }

    /// What such devices can compute in at most; a model of them may have less.
    default Set<Precision> precisions() {
        return Set.of(Precision.FP32);
    }

    /// What of such a device computes a network, in words. It need not be here.
    ///
    /// @param batchSize samples a step
    String computes(Network network, Precision precision, int batchSize);

    /// Gets this process ready to compute such a job at full speed from its first step on, where that takes a while.
    /// Opening a session does it, too; here it can be done beside something else.
    default void warmUp(Network network, Precision precision, OptimizerSpec optimizer) {}

    /// As [#warmUp(Network, Precision, OptimizerSpec)], for whatever job may come: each call does a part, the likely
    /// jobs' first.
    default void warmUp() {}

    /// @throws DeviceException if the device is not available; says why
    Device open(DeviceSpec spec);
}
