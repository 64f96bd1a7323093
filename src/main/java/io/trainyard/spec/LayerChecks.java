package io.trainyard.spec;

import org.jspecify.annotations.Nullable;

/// Checks of the inputs and fields of layers, shared by several layers.
final class LayerChecks {
    private LayerChecks() {}

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
}
