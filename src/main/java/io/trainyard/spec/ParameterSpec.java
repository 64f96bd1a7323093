package io.trainyard.spec;

import java.util.List;

/// One entry of a network's `state_dict()`: its full name (such as `conv1.weight`), its shape and its
/// initialization.
///
/// @param trained true for parameters that the optimizer changes, false for frozen ones and for buffers (running
///     statistics)
/// @param frozen whether training keeps the value of a parameter or buffer
/// @param group of the optimizer; 0: none of [OptimizerSpec#groups]
public record ParameterSpec(String name, Shape shape, Init init, boolean trained, boolean frozen, int group) {
    public ParameterSpec(String name, Shape shape, Init init, boolean trained) {
        this(name, shape, init, trained, false, 0);
    }

    /// The initial value. [Uniform] and [Normal] draw random numbers, in order.
    public sealed interface Init {
        /// Uniform in (-bound, bound), as PyTorch's default initialisation of Conv2d and Linear.
        record Uniform(double bound) implements Init {}

        /// Normal with mean 0, or zeros if `deviation` is 0, drawn after all uniform values of the network. Before, the
        /// layer draws uniform values, which this replaces.
        record Normal(double deviation) implements Init {}

        /// Every element is `value`, float32.
        record Constant(float value) implements Init {}

        /// An int64 scalar that starts at zero: BatchNorm's `num_batches_tracked`.
        record Counter() implements Init {}
    }

    ParameterSpec inLayer(String layer) {
        return new ParameterSpec(layer + "." + name, shape, init, trained, frozen, group);
    }

    ParameterSpec with(Init other) {
        return new ParameterSpec(name, shape, other, trained, frozen, group);
    }

    ParameterSpec asFrozen() {
        return new ParameterSpec(name, shape, init, false, true, group);
    }

    ParameterSpec inGroup(int other) {
        return new ParameterSpec(name, shape, init, trained, frozen, other);
    }

    /// Weight and bias with PyTorch's default initialization: `kaiming_uniform_(a=sqrt(5))` for the weight, and
    /// U(-1/sqrt(fanIn), 1/sqrt(fanIn)) for the bias. Both bounds are equal up to rounding; each is computed in
    /// PyTorch's order of operations, because its last bit affects the weights.
    static List<ParameterSpec> weightAndBias(Shape weight, int fanIn, boolean bias) {
        double a = Math.sqrt(5);
        double std = Math.sqrt(2.0 / (1 + a * a)) / Math.sqrt(fanIn);
        var first = new ParameterSpec("weight", weight, new Init.Uniform(Math.sqrt(3.0) * std), true);
        if (!bias) {
            return List.of(first);
        }
        var second = new ParameterSpec("bias", Shape.of(weight.size(0)), new Init.Uniform(1 / Math.sqrt(fanIn)), true);
        return List.of(first, second);
    }
}
