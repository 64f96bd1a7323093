package io.trainyard.spec;

import org.jspecify.annotations.Nullable;

/// Which row of an image each row of its copy of another size is, and likewise of columns; by PyTorch's formula, in
/// float32 as there.
///
/// @param size of the image
/// @param step from one row's place to the next, in the image
public record Nearest(int size, float step) {
    /// Where the sizes are the same or one is twice the other PyTorch rounds nothing, whatever the factor.
    ///
    /// @param size of the image
    /// @param count of the rows of its copy
    /// @param factor that was given; null where the count was
    static Nearest of(int size, int count, @Nullable Double factor) {
        if (count == size) {
            return new Nearest(size, 1);
        }
        if (count == 2L * size) {
            return new Nearest(size, 0.5f);
        }
        return new Nearest(size, factor == null ? (float) size / count : (float) (1 / factor));
    }

    /// Of the copy's row `i`; grows with it.
    public int source(int i) {
        return Math.min((int) (i * step), size - 1);
    }
}
