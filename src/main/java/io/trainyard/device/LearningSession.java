package io.trainyard.device;

import java.util.OptionalLong;

/// A network compiled for one device, with its data set there. It knows steps and losses, nothing of jobs.
///
/// Deterministic: for the same device kind, thread count and choices, the same states and plans give the same bits,
/// however the steps are divided over calls of [#advance]. Used by one thread.
public interface LearningSession extends AutoCloseable {
    int threads();

    /// What it chose by measuring, and what sessions before it chose elsewhere.
    default DeviceChoices choices() {
        return DeviceChoices.NONE;
    }

    /// @throws IllegalArgumentException if names or shapes are not the network's; names the first that differs
    void load(SessionState state);

    SessionState save();

    /// Sets what the next steps train on.
    ///
    /// @param firstStep the step of the epoch to go on with; 0 for a whole epoch. What the steps before it draw
    ///     is drawn and forgotten
    void beginEpoch(EpochPlan plan, int firstStep);

    /// Trains the next `steps` batches of the epoch, in one go.
    ///
    /// @return each step's loss: the mean over its batch, before its update
    /// @throws IllegalArgumentException if the epoch has fewer steps left
    float[] advance(int steps);

    /// How long steps have waited while batches were made on the host, as the first thread saw it, in
    /// nanoseconds since the session was opened: drawing augmentation and masks, cropping, scaling. Empty where
    /// that is no time of its own, because the device makes batches within its steps.
    default OptionalLong batchNanos() {
        return OptionalLong.empty();
    }

    /// Runs the whole test set forward, in evaluation mode.
    Evaluation evaluate();

    /// Runs the whole test set forward, in evaluation mode.
    ///
    /// @return of each sample the softmax of its logits, or the numbers predicted: (samples, outputs), row-major
    float[] predict();

    @Override
    void close();
}
