package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Default;
import io.trainyard.spec.FieldDefaults.Required;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Normalizes each sample independently, in sets of its values, each by its own mean and variance, in training
/// and evaluation.
public sealed interface SampleNorm extends LayerSpec {
    /// Added to the variance.
    double eps();

    /// Whether it has a trained scale and shift.
    boolean affine();

    /// The sets of values that are normalized together, for samples of shape `in`.
    NormSets sets(Shape in);

    @Override
    default Shape output(Shape in) {
        if (sets(in).size() == 1) {
            throw new ShapeMismatch("it would normalise each value by itself, which gives 0 for all of them");
        }
        return in;
    }

    /// The shape of the scale and of the shift.
    Shape parameterShape(Shape in);

    @Override
    default List<ParameterSpec> parameters(Shape in) {
        return affine() ? Norms.weightAndBias(parameterShape(in)) : List.of();
    }

    /// Splits the channels into `groups` equal sets, with a scale and a shift for each channel.
    record GroupNorm(
            @Nullable String name,
            @Required("groupNorm.groups") int groups,
            @Default("1e-5") double eps,
            @Default("true") boolean affine)
            implements SampleNorm {
        public GroupNorm {
            Check.between("groupNorm.groups", groups, 1, MAX_WIDTH);
            Norms.checkEps("groupNorm.eps", eps);
        }

        @Override
        public NormSets sets(Shape in) {
            int channels = in.size(0);
            if (channels % groups != 0) {
                throw new ShapeMismatch("its %d groups cannot share %d channels evenly".formatted(groups, channels));
            }
            return new NormSets(groups, in.elements() / groups, false, channels, in.elements() / channels);
        }

        @Override
        public Shape parameterShape(Shape in) {
            return Shape.of(in.size(0));
        }
    }

    /// Normalizes over the last dimensions, with a scale and a shift for each position.
    ///
    /// @param normalizedShape the sizes of these dimensions; empty for all
    record LayerNorm(
            @Nullable String name,
            @Default("[]") List<Integer> normalizedShape,
            @Default("1e-5") double eps,
            @Default("true") boolean affine)
            implements SampleNorm {
        public LayerNorm {
            normalizedShape = Check.complete("layerNorm.normalizedShape", normalizedShape);
            normalizedShape.forEach(size -> Check.between("layerNorm.normalizedShape", size, 1, MAX_WIDTH));
            Norms.checkEps("layerNorm.eps", eps);
        }

        @Override
        public NormSets sets(Shape in) {
            int size = parameterShape(in).elements();
            return new NormSets(in.elements() / size, size, false, size, 1);
        }

        @Override
        public Shape parameterShape(Shape in) {
            if (normalizedShape.isEmpty()) {
                return in;
            }
            int dimensions = normalizedShape.size();
            if (dimensions > in.rank()
                    || !in.sizes().subList(in.rank() - dimensions, in.rank()).equals(normalizedShape)) {
                throw new ShapeMismatch(
                        "its normalizedShape is %s; it must be the last sizes of the layer's input, or be left out"
                                .formatted(new Shape(normalizedShape)));
            }
            return new Shape(normalizedShape);
        }
    }

    /// Normalizes the channels of each pixel, with a scale and a shift for each channel: torchvision's
    /// `LayerNorm2d`.
    record LayerNorm2d(
            @Nullable String name,
            @Default("1e-5") double eps,
            @Default("true") boolean affine) implements SampleNorm {
        public LayerNorm2d {
            Norms.checkEps("layerNorm2d.eps", eps);
        }

        @Override
        public NormSets sets(Shape in) {
            LayerChecks.requireImage(in);
            int area = in.size(1) * in.size(2);
            return new NormSets(area, in.size(0), true, in.size(0), area);
        }

        @Override
        public Shape parameterShape(Shape in) {
            return Shape.of(in.size(0));
        }
    }
}
