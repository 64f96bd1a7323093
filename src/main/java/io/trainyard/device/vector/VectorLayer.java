package io.trainyard.device.vector;

/// One layer within a [VectorShard]: computes a chunk of samples from its input's [Values] to its output's, and back.
interface VectorLayer {
    /// Its output; element-wise layers work in place, on the values of their input.
    Values output();

    /// @param first index in the batch of the chunk's first sample
    void forward(int first, int samples, boolean training);

    /// Computes the gradients of its parameters and, if its input has one, of its input.
    ///
    /// @param accumulate whether to add the parameters' gradients to those of earlier chunks
    void backward(int first, int samples, boolean accumulate);
}
