package io.trainyard.device;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Network;
import io.trainyard.spec.OptimizerSpec;

/// What a session is compiled for.
///
/// @param batchSize samples a step; at most as many as the training part has
/// @param threads CPU threads to compute with; 0 lets the device choose for the network, by a rule on shapes. The
///     number is part of what makes a run repeatable: [LearningSession#threads] says what was chosen
public record Workload(
        Network network, OptimizerSpec optimizer, int batchSize, Dataset dataset, PixelScale scale, int threads) {
    public Workload {
        if (batchSize > dataset.train().size()) {
            throw new InvalidJobException("batchSize is %d, but data set %s has %d training samples; allowed is 1 to %d"
                    .formatted(
                            batchSize,
                            dataset.name(),
                            dataset.train().size(),
                            dataset.train().size()));
        }
    }

    public Workload withThreads(int number) {
        return new Workload(network, optimizer, batchSize, dataset, scale, number);
    }

    /// Steps in an epoch; the last one may be of a shorter batch.
    public int stepsPerEpoch() {
        return Math.ceilDiv(dataset.train().size(), batchSize);
    }

    /// Samples in the last step of an epoch.
    public int lastBatchSize() {
        return dataset.train().size() - (stepsPerEpoch() - 1) * batchSize;
    }

    /// A generous estimate of what a session needs besides the data set: parameters with gradients and momentum,
    /// outputs with gradients and copies in other layouts.
    public long estimatedBytes() {
        return 4 * (6 * network.parameterElements() + 4L * batchSize * network.activationElements());
    }
}
