package io.trainyard.device.cpu;

import io.trainyard.device.onednn.OneDnnDevice;
import io.trainyard.spec.Network;
import io.trainyard.spec.Precision;

/// How many threads a network is worth, when nobody says. A rule on shapes and not on measured time, because the
/// number decides the last bits of the results.
final class ThreadRule {
    /// Floating-point operations of a step that are worth a thread of its own, where threads go through the whole
    /// network and meet twice a step: some 50 microseconds, several times what the meetings take. At every batch
    /// norm they meet twice more, which must be worth as much again.
    static final long FLOP_PER_THREAD = 7_000_000;

    /// Samples of a batch that a thread must have.
    private static final int MIN_SHARE = 2;

    /// Where threads meet at every operator, a training step below this many floating-point operations is
    /// done by one thread: each operator would wake the others, which sleep in between
    /// (`OMP_WAIT_POLICY=PASSIVE`), and that costs more than they do.
    static final long ONE_THREAD_BELOW_FLOP = 500_000_000;

    /// Forward, the parameters' gradient and the input's gradient take about the same.
    private static final int PASSES = 3;

    private static final int FLOP_PER_MULTIPLY_ADD = 2;

    private ThreadRule() {}

    /// @param processors those that this process may use
    static int threads(Network network, Precision precision, int batchSize, int processors) {
        long flop = stepFlop(network, batchSize);
        long norms = network.wholeBatchLayers().size();
        long worth = Math.min(flop / (FLOP_PER_THREAD * (1 + norms)), batchSize / MIN_SHARE);
        int sharing = (int) Math.clamp(worth, 1, processors);
        boolean shares = sharing > 1 && OneDnnDevice.shards(network, batchSize, sharing) == sharing;
        if (shares || KernelRule.narrow(network, precision)) {
            return sharing;
        }
        return flop < ONE_THREAD_BELOW_FLOP ? 1 : processors;
    }

    /// Floating-point operations of one training step in convolutions and linear layers.
    static long stepFlop(Network network, int batchSize) {
        return network.multiplyAdds() * FLOP_PER_MULTIPLY_ADD * PASSES * batchSize;
    }
}
