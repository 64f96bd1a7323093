package io.trainyard.device.onednn;

import io.trainyard.spec.Network;

/// Into how many parts a batch is cut. Every part goes through the whole network on threads of its own, which
/// meet twice a step and at every batch norm; within a part oneDNN's threads meet at every operator. A rule on shapes,
/// because the number decides the last bits of the results.
final class Shards {
    /// With fewer samples a part's operators are too small for their own overhead.
    private static final int MIN_SAMPLES = 8;

    /// Every part has gradients of its own, which must be summed. So many multiplications of samples for every
    /// parameter of a part keep that below some hundredths of a step.
    private static final long MIN_MULTIPLY_ADDS_PER_PARAMETER = 64;

    private Shards() {}

    /// @return a divisor of `threads`
    static int count(Network network, int batchSize, int threads) {
        long work = network.multiplyAdds() * batchSize;
        int count = threads;
        while (count > 1
                && (threads % count != 0
                        || batchSize / count < MIN_SAMPLES
                        || work / count < MIN_MULTIPLY_ADDS_PER_PARAMETER * count * network.parameterElements())) {
            count--;
        }
        return count;
    }
}
