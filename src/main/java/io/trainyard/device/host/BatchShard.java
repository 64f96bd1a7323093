package io.trainyard.device.host;

import io.trainyard.device.Augmentation.Change;
import java.util.List;

/// One thread's part of every batch and of the test samples.
public interface BatchShard {
    /// Computes the shard's gradients of the batch's mean loss.
    ///
    /// @param from index in `order` of the batch's first sample
    /// @param batchSize samples of the whole batch
    /// @param changes augmentation of the batch's samples; empty for none
    /// @return the sum of the losses of the shard's samples
    double train(int[] order, int from, int batchSize, List<Change> changes);

    long batchNanos();

    /// Runs the shard's part of the test samples forward.
    ///
    /// @param order of all test samples
    void test(int[] order, OutputReader reader);

    /// Receives the network's outputs for some test samples while they are valid; called by several threads.
    interface OutputReader {
        /// @param loss the thread's own instance
        /// @param outputs (samples, outputs), row-major
        /// @param from the first sample
        void read(BatchLoss loss, float[] outputs, int from, int samples);
    }
}
