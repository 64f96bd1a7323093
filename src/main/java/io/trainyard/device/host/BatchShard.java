package io.trainyard.device.host;

import io.trainyard.device.Augmentation.Change;
import java.util.List;

/// One thread's part of every batch and of the test set.
public interface BatchShard {
    /// Leaves the shard's gradients of the batch's mean loss.
    ///
    /// @param from the batch's first sample, in `order`
    /// @param batchSize samples of the whole batch
    /// @param changes what becomes of the batch's samples; empty to leave them as they are
    /// @return the sum of the losses of the shard's samples
    double train(int[] order, int from, int batchSize, List<Change> changes);

    /// How long it has spent assembling training batches so far.
    long batchNanos();

    /// Runs the shard's part of the test set forward.
    ///
    /// @param order of the whole test set
    void test(int[] order, OutputReader reader);

    /// Takes in the network's outputs for some test samples, while they are there; called by several threads.
    interface OutputReader {
        /// @param loss the thread's own
        /// @param outputs (samples, outputs), row-major
        /// @param from the first sample
        void read(BatchLoss loss, float[] outputs, int from, int samples);
    }
}
