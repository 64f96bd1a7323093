package io.trainyard.device.cpu;

import io.trainyard.device.vector.VectorDevice;
import io.trainyard.spec.Network;
import io.trainyard.spec.Precision;

/// What computes a network: kernels of our own where it is narrow and in float32, oneDNN otherwise. A rule on shapes
/// and not on
/// measured time, because the choice decides the last bits of the results.
final class KernelRule {
    /// Up to so many multiplications in one sample's forward pass a network counts as narrow.
    static final long NARROW_MULTIPLY_ADDS = 2_000_000;

    private KernelRule() {}

    static boolean narrow(Network network, Precision precision) {
        return precision == Precision.FP32
                && VectorDevice.computes(network)
                && network.multiplyAdds() <= NARROW_MULTIPLY_ADDS;
    }
}
