package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Default;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Resizes images by nearest-neighbour sampling.
///
/// @param size rows and columns of the result; null if `scaleFactor` is given
/// @param scaleFactor of rows and columns; fractions of a pixel are rounded down; null if `size` is given
/// @param mode `nearest`
public record Upsample(
        @Nullable String name,
        @Nullable Extent size,
        @Nullable Scale scaleFactor,
        @Default("'nearest'") String mode) implements LayerSpec {
    private static final int MAX_SIZE = 1 << 16;
    private static final double MIN_FACTOR = 0.001;
    private static final double MAX_FACTOR = 1024;

    public Upsample {
        Check.matching("upsample.mode", mode, "nearest", "nearest");
        if ((size == null) == (scaleFactor == null)) {
            throw new InvalidJobException("upsample has %s; give it one of size and scaleFactor"
                    .formatted(size == null ? "neither size nor scaleFactor" : "size and scaleFactor"));
        }
        if (size != null) {
            Check.between("upsample.size", size, 1, MAX_SIZE);
        }
        if (scaleFactor != null) {
            Check.between("upsample.scaleFactor", scaleFactor.rows(), MIN_FACTOR, MAX_FACTOR);
            Check.between("upsample.scaleFactor", scaleFactor.columns(), MIN_FACTOR, MAX_FACTOR);
        }
    }

    @Override
    public Shape output(Shape in) {
        LayerChecks.requireImage(in);
        if (size != null) {
            return Shape.of(in.size(0), size.rows(), size.columns());
        }
        Scale factor = Objects.requireNonNull(scaleFactor);
        int rows = (int) (in.size(1) * factor.rows());
        int columns = (int) (in.size(2) * factor.columns());
        if (rows < 1 || columns < 1) {
            throw new ShapeMismatch("scaled by %s it has no elements; choose a larger scaleFactor".formatted(factor));
        }
        return Shape.of(in.size(0), rows, columns);
    }

    /// The source rows of the result.
    public Nearest rows(Shape in) {
        return Nearest.of(in.size(1), output(in).size(1), scaleFactor == null ? null : scaleFactor.rows());
    }

    /// The source columns of the result.
    public Nearest columns(Shape in) {
        return Nearest.of(in.size(2), output(in).size(2), scaleFactor == null ? null : scaleFactor.columns());
    }
}
