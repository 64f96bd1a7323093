package io.trainyard.device.cpu;

import io.trainyard.spec.Network;

/// How many threads a network is worth, when nobody says. A rule on shapes and not on measured time, because the
/// number decides the last bits of the results.
final class ThreadRule {
    /// A training step below this many floating-point operations is done by one thread: each of its few dozen
    /// primitives would wake the others, which sleep in between (`OMP_WAIT_POLICY=PASSIVE`), and that costs more
    /// than they do. Measured on two AVX-512 cores: fashion at batch 100 (0.14 GFLOP) takes 1.85 ms with one thread
    /// and 2.2 ms or more with two; tudui at batch 64 (4.4 GFLOP) is faster with two.
    static final long ONE_THREAD_BELOW_FLOP = 500_000_000;

    /// Forward, the parameters' gradient and the input's gradient take about the same.
    private static final int PASSES = 3;

    private static final int FLOP_PER_MULTIPLY_ADD = 2;

    private ThreadRule() {}

    /// @param processors those that this process may use
    static int threads(Network network, int batchSize, int processors) {
        return stepFlop(network, batchSize) < ONE_THREAD_BELOW_FLOP ? 1 : processors;
    }

    /// Floating-point operations of one training step in convolutions and linear layers.
    static long stepFlop(Network network, int batchSize) {
        return network.multiplyAdds() * FLOP_PER_MULTIPLY_ADD * PASSES * batchSize;
    }
}
