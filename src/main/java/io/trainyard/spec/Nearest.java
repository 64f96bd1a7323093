package io.trainyard.spec;

import org.jspecify.annotations.Nullable;

/// Nearest-neighbour source rows of a resized image, and likewise columns, by PyTorch's formula in float32.
///
/// @param size of the source image
/// @param step distance in the source image between adjacent rows of the result
public record Nearest(int size, float step) {
    /// PyTorch does not round if the sizes are equal or one is twice the other, for any factor.
    ///
    /// @param size of the source image
    /// @param count of rows in the result
    /// @param factor as given; null if the count was given
    static Nearest of(int size, int count, @Nullable Double factor) {
        if (count == size) {
            return new Nearest(size, 1);
        }
        if (count == 2L * size) {
            return new Nearest(size, 0.5f);
        }
        return new Nearest(size, factor == null ? (float) size / count : (float) (1 / factor));
    }

    /// The source of row `i` of the result; does not decrease with `i`.
    public int source(int i) {
        return Math.min((int) (i * step), size - 1);
    }
}
