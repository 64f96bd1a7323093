package io.trainyard.spec;

import io.trainyard.spec.ParameterSpec.Init;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Shared by layers with weights or sliding windows.
final class Window {
    private Window() {}

    static void requireImage(Shape in) {
        if (in.rank() != 3) {
            throw new ShapeMismatch("it takes images (channels, height, width)");
        }
    }

    /// Checks the fields of layers with sliding windows.
    ///
    /// @param layer its type, for messages
    /// @param padding null for automatic padding
    static void check(String layer, Extent kernel, Extent stride, @Nullable Extent padding, Extent dilation) {
        Check.between(layer + ".kernel", kernel, 1, LayerSpec.MAX_WINDOW);
        Check.between(layer + ".stride", stride, 1, LayerSpec.MAX_WINDOW);
        if (padding != null) {
            Check.between(layer + ".padding", padding, 0, LayerSpec.MAX_WINDOW);
        }
        Check.between(layer + ".dilation", dilation, 1, LayerSpec.MAX_WINDOW);
    }

    /// PyTorch has the same limit: a window would have only padding.
    static void requireHalf(String layer, Extent padding, Extent kernel) {
        if (2 * padding.rows() > kernel.rows() || 2 * padding.columns() > kernel.columns()) {
            throw new InvalidJobException("%s.padding is %s, but %s.kernel is %s; allowed is up to half of it"
                    .formatted(layer, padding, layer, kernel));
        }
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
