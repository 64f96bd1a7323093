package io.trainyard.device.cuda.layer;

/// One layer, compiled for a batch of one size. Its methods enqueue work on the compute stream, always the same, so
/// that it can be recorded once and replayed.
interface CudaLayer {
    BatchTensor out();

    /// Whether its backward pass reads again what it gave; if not, the next layer may write over that.
    default boolean needsOutput() {
        return false;
    }

    /// Asks it to apply ReLU to its output itself.
    ///
    /// @return whether it does
    default boolean takeRelu() {
        return false;
    }

    void forward();

    /// From its output's gradient to its parameters' and, where that is wanted, its input's.
    void backward();
}
