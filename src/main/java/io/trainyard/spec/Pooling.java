package io.trainyard.spec;

import io.trainyard.spec.FieldDefaults.Default;
import io.trainyard.spec.FieldDefaults.Required;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Reduces each window of an image to one value, channel by channel.
public sealed interface Pooling extends LayerSpec {

    /// The largest value of each window, ignoring padding.
    ///
    /// @param dilation the distance between a window's taps; 1 for a dense one
    /// @param ceilMode whether a last, incomplete window counts if it begins in the image or before
    record MaxPool2d(
            @Nullable String name,
            @Required("maxPool2d.kernel") Extent kernel,
            Extent stride,
            @Default("0") Extent padding,
            @Default("1") Extent dilation,
            boolean ceilMode)
            implements Pooling {
        public MaxPool2d {
            stride = Objects.requireNonNullElse(stride, kernel);
            LayerChecks.check("maxPool2d", kernel, stride, padding, dilation);
            LayerChecks.requireHalf("maxPool2d", padding, kernel);
        }

        /// Square, without padding.
        public MaxPool2d(@Nullable String name, int kernel, int stride) {
            this(name, Extent.square(kernel), Extent.square(stride), Extent.square(0), Extent.square(1), false);
        }

        public Windows windows() {
            return Windows.of(kernel, stride, dilation, padding).ceiling(ceilMode);
        }

        @Override
        public Shape output(Shape in) {
            Shape out = windows().over(in, in.size(0));
            windows().requirePixels(in, out);
            return out;
        }
    }

    /// The mean of each window.
    ///
    /// @param ceilMode whether a last, incomplete window counts if it begins in the image or before
    /// @param countIncludePad whether padding counts as values; positions beyond the padding never do
    record AvgPool2d(
            @Nullable String name,
            @Required("avgPool2d.kernel") Extent kernel,
            Extent stride,
            @Default("0") Extent padding,
            boolean ceilMode,
            @Default("true") boolean countIncludePad)
            implements Pooling {
        public AvgPool2d {
            stride = Objects.requireNonNullElse(stride, kernel);
            LayerChecks.check("avgPool2d", kernel, stride, padding, Extent.square(1));
            LayerChecks.requireHalf("avgPool2d", padding, kernel);
        }

        /// Square, without padding.
        public AvgPool2d(@Nullable String name, int kernel, int stride) {
            this(name, Extent.square(kernel), Extent.square(stride), Extent.square(0), false, true);
        }

        public Windows windows() {
            return Windows.of(kernel, stride, Extent.square(1), padding).ceiling(ceilMode);
        }

        @Override
        public Shape output(Shape in) {
            return windows().over(in, in.size(0));
        }
    }

    /// Means over windows that cover an image of any size: window i of `out` along a side of `size` pixels spans
    /// floor(i size / out) to ceil((i + 1) size / out), exclusive. Adjacent windows may overlap.
    ///
    /// @param out number of windows in rows and columns
    record AdaptiveAvgPool2d(
            @Nullable String name,
            @Required("adaptiveAvgPool2d.out") Extent out) implements Pooling {
        public AdaptiveAvgPool2d {
            Check.between("adaptiveAvgPool2d.out", out, 1, MAX_WINDOW);
        }

        public AdaptiveAvgPool2d(@Nullable String name, int out) {
            this(name, Extent.square(out));
        }

        @Override
        public Shape output(Shape in) {
            LayerChecks.requireImage(in);
            return Shape.of(in.size(0), out.rows(), out.columns());
        }
    }
}
