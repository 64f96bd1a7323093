package io.trainyard.device.vector;

/// A [ChunkLayer] of several models at once.
interface LaneLayer {
    /// What it gives; an elementwise layer works in place, on its input's.
    LaneValues output();

    /// @param first the chunk's first sample, counted in the batch
    void forward(int first, int samples);

    /// Computes the gradient of its input, where that has one, and those of its parameters; with the batch's last chunk
    /// takes the optimizer's step for them.
    void backward(Chunk chunk);

    /// A part of a batch.
    ///
    /// @param from its first sample, counted in the batch
    record Chunk(int from, int samples, int batchSize) {
        boolean isFirst() {
            return from == 0;
        }

        boolean isLast() {
            return from + samples == batchSize;
        }
    }
}
