package io.trainyard.spec;

/// One entry of a network's `state_dict()`: its full name (such as `conv1.weight`), its shape and its
/// initialization.
///
/// @param trained true for parameters (the optimizer changes them), false for buffers (running statistics)
public record ParameterSpec(String name, Shape shape, Init init, boolean trained) {
    /// The initial value. Only [Uniform] draws random numbers, one for each element, in order.
    public sealed interface Init {
        /// Uniform in (-bound, bound), as PyTorch's default initialisation of Conv2d and Linear.
        record Uniform(double bound) implements Init {}

        /// Every element is `value`, float32.
        record Constant(float value) implements Init {}

        /// An int64 scalar that starts at zero: BatchNorm's `num_batches_tracked`.
        record Counter() implements Init {}
    }

    ParameterSpec inLayer(String layer) {
        return new ParameterSpec(layer + "." + name, shape, init, trained);
    }
}
