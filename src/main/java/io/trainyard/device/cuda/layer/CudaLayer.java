package io.trainyard.device.cuda.layer;

import io.trainyard.device.cuda.driver.Buffer;

/// One layer, compiled for one batch size. Its methods always enqueue the same work on the compute stream, so it
/// can be recorded once and replayed.
interface CudaLayer {
    BatchTensor out();

    /// Whether its backward pass reads its output again; if not, the next layer may overwrite it.
    default boolean needsOutput() {
        return false;
    }

    /// Requests that the layer applies ReLU to its output.
    ///
    /// @return whether it does
    default boolean takeRelu() {
        return false;
    }

    /// Requests that the layer adds `other` to its output's gradient.
    ///
    /// @return whether it does
    default boolean takeGradient(Buffer other) {
        return false;
    }

    void forward();

    /// Computes the gradients of the parameters and, if needed, of the input from the output's gradient.
    void backward();
}
