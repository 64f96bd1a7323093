package io.trainyard.device.cpu;

import io.trainyard.device.vector.VectorDevice;
import io.trainyard.spec.Network;
import io.trainyard.spec.Precision;

/// Chooses the implementation for a network: our own kernels if it is narrow and in float32, otherwise oneDNN. The
/// rule depends on shapes and not on timing, because the choice affects the last bits of the results.
final class KernelRule {
    /// The most multiply-adds in one sample's forward pass of a narrow network.
    static final long NARROW_MULTIPLY_ADDS = 2_000_000;

    private KernelRule() {}

    static boolean narrow(Network network, Precision precision) {
        return precision == Precision.FP32
                && VectorDevice.computes(network)
                && network.multiplyAdds() <= NARROW_MULTIPLY_ADDS;
    }
}
