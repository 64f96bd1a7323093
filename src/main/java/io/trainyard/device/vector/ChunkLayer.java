package io.trainyard.device.vector;

/// One layer within a [Shard]: computes a chunk of samples from its input's [Values] to its output's, and back.
interface ChunkLayer {
    /// What it gives; an elementwise layer works in place, on its input's.
    Values output();

    /// @param first the chunk's first sample, counted in the batch
    void forward(int first, int samples, boolean training);

    /// Computes the gradients of its parameters, and, where its input has one, of its input.
    ///
    /// @param accumulate whether the parameters' gradients are added to those of the chunks before
    void backward(int first, int samples, boolean accumulate);
}
