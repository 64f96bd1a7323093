package io.trainyard.device.onednn;

import io.trainyard.spec.Network;

/// Chooses the number of shards of a batch. Every shard runs the whole network on its own threads, with a barrier
/// twice a step and at every batch norm; within a shard oneDNN's threads synchronize at every operator. The rule
/// depends only on shapes, because the number affects the last bits of the results.
final class Shards {
    /// With fewer samples the operators are dominated by their overhead.
    private static final int MIN_SAMPLES = 8;

    /// Every shard has its own gradients, which must be summed. With this number of multiply-adds for each
    /// parameter of a shard, the sum takes at most a few hundredths of a step.
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
