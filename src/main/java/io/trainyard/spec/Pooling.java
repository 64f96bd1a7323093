package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonCreator;
import org.jspecify.annotations.Nullable;

/// Reduces each window of an image to one value, channel by channel.
public sealed interface Pooling extends LayerSpec {

    /// The largest value of each window, ignoring padding.
    ///
    /// @param dilation the distance between a window's taps; 1 for a dense one
    /// @param ceilMode whether a last, incomplete window counts if it begins in the image or before
    record MaxPool2d(
            @Nullable String name, Extent kernel, Extent stride, Extent padding, Extent dilation, boolean ceilMode)
            implements Pooling {
        public MaxPool2d {
            Window.check("maxPool2d", kernel, stride, padding, dilation);
            Window.requireHalf("maxPool2d", padding, kernel);
        }

        /// Square, without padding.
        public MaxPool2d(@Nullable String name, int kernel, int stride) {
            this(name, Extent.square(kernel), Extent.square(stride), Extent.square(0), Extent.square(1), false);
        }

        /// The stride defaults to the kernel.
        @JsonCreator
        static MaxPool2d read(
                @Nullable String name,
                @Nullable Extent kernel,
                @Nullable Extent stride,
                @Nullable Extent padding,
                @Nullable Extent dilation,
                @Nullable Boolean ceilMode) {
            Extent size = Check.present("maxPool2d.kernel", kernel);
            return new MaxPool2d(
                    name,
                    size,
                    stride == null ? size : stride,
                    Extent.orSquare(padding, 0),
                    Extent.orSquare(dilation, 1),
                    ceilMode != null && ceilMode);
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
            Extent kernel,
            Extent stride,
            Extent padding,
            boolean ceilMode,
            boolean countIncludePad)
            implements Pooling {
        public AvgPool2d {
            Window.check("avgPool2d", kernel, stride, padding, Extent.square(1));
            Window.requireHalf("avgPool2d", padding, kernel);
        }

        /// Square, without padding.
        public AvgPool2d(@Nullable String name, int kernel, int stride) {
            this(name, Extent.square(kernel), Extent.square(stride), Extent.square(0), false, true);
        }

        /// The stride defaults to the kernel, `countIncludePad` to true.
        @JsonCreator
        static AvgPool2d read(
                @Nullable String name,
                @Nullable Extent kernel,
                @Nullable Extent stride,
                @Nullable Extent padding,
                @Nullable Boolean ceilMode,
                @Nullable Boolean countIncludePad) {
            Extent size = Check.present("avgPool2d.kernel", kernel);
            return new AvgPool2d(
                    name,
                    size,
                    stride == null ? size : stride,
                    Extent.orSquare(padding, 0),
                    ceilMode != null && ceilMode,
                    countIncludePad == null || countIncludePad);
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
    record AdaptiveAvgPool2d(@Nullable String name, Extent out) implements Pooling {
        public AdaptiveAvgPool2d {
            Check.between("adaptiveAvgPool2d.out", out, 1, MAX_WINDOW);
        }

        public AdaptiveAvgPool2d(@Nullable String name, int out) {
            this(name, Extent.square(out));
        }

        @JsonCreator
        static AdaptiveAvgPool2d read(@Nullable String name, @Nullable Extent out) {
            return new AdaptiveAvgPool2d(name, Check.present("adaptiveAvgPool2d.out", out));
        }

        @Override
        public Shape output(Shape in) {
            Window.requireImage(in);
            return Shape.of(in.size(0), out.rows(), out.columns());
        }
    }
}
