package io.trainyard.device.cpu;

import io.trainyard.device.vector.VectorDevice;
import io.trainyard.spec.Network;

/// What computes a network: kernels of our own where it is narrow, oneDNN otherwise. A rule on shapes and not on
/// measured time, because the choice decides the last bits of the results.
final class KernelRule {
    /// Up to so many multiplications in one sample's forward pass a network counts as narrow.
    static final long NARROW_MULTIPLY_ADDS = 2_000_000;

    private KernelRule() {}

    static boolean narrow(Network network) {
        return VectorDevice.computes(network) && network.multiplyAdds() <= NARROW_MULTIPLY_ADDS;
    }
}
