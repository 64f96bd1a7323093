package io.trainyard.device.cpu;

import io.trainyard.device.onednn.OneDnnDevice;
import io.trainyard.spec.Network;
import io.trainyard.spec.Precision;

/// The default number of threads for a network. The rule depends on shapes and not on timing, because the number
/// affects the last bits of the results.
final class ThreadRule {
    /// Floating-point operations of a step that justify another thread, if threads run the whole network with two
    /// barriers in each step: about 50 microseconds, several times the cost of the barriers. Every batch norm adds
    /// two barriers, which must be justified by as much work again.
    static final long FLOP_PER_THREAD = 7_000_000;

    /// The least samples of a batch for each thread.
    private static final int MIN_SHARE = 2;

    /// If threads synchronize at every operator, one thread runs all training steps with fewer floating-point
    /// operations than this. Otherwise each operator would wake the other threads, which sleep in between
    /// (`OMP_WAIT_POLICY=PASSIVE`), and this costs more than they contribute.
    static final long ONE_THREAD_BELOW_FLOP = 500_000_000;

    /// The forward pass, the parameters' gradient and the input's gradient take about the same time.
    private static final int PASSES = 3;

    private static final int FLOP_PER_MULTIPLY_ADD = 2;

    private ThreadRule() {}

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

    static long stepFlop(Network network, int batchSize) {
        return network.multiplyAdds() * FLOP_PER_MULTIPLY_ADD * PASSES * batchSize;
    }
}
