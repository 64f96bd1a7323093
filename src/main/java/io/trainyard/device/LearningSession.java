package io.trainyard.device;

import java.util.OptionalLong;

/// A network compiled for one device, with its dataset on the device. A session has steps and losses, and does not
/// depend on jobs.
///
/// Deterministic: for the same device kind, thread count and choices, the same states and plans give the same bits,
/// however the steps are divided over calls of [#advance]. Not thread-safe.
public interface LearningSession extends AutoCloseable {
    int threads();

    /// The algorithms selected by timing, including those given by the workload.
    default DeviceChoices choices() {
        return DeviceChoices.NONE;
    }

    /// @throws IllegalArgumentException if names or shapes are not the network's; names the first that differs
    void load(SessionState state);

    SessionState save();

    /// Starts an epoch.
    ///
    /// @param firstStep the first step to train, to resume within an epoch; 0 for a whole epoch. The random numbers
    ///     of the steps before it are skipped
    void beginEpoch(EpochPlan plan, int firstStep);

    /// Trains the next `steps` batches of the epoch without interruption.
    ///
    /// @return each step's loss: the mean over its batch, before its update
    /// @throws IllegalArgumentException if the epoch has fewer steps left
    float[] advance(int steps);

    /// The time that steps have waited for batches assembled on the host (augmentation, masks, cropping, scaling),
    /// in nanoseconds on the first thread since the session was opened. Empty if the device assembles batches
    /// within its steps.
    default OptionalLong batchNanos() {
        return OptionalLong.empty();
    }

    Evaluation evaluate();

    /// Runs all test samples forward, in evaluation mode.
    ///
    /// @return (samples, outputs), row-major: the softmax of each sample's logits, or its predicted numbers
    float[] predict();

    @Override
    void close();
}
