package io.trainyard.device;

import io.trainyard.spec.Conv2d;
import io.trainyard.spec.Extent;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Padding;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Shape;

/// Windows of a convolution or a pooling that fit an image.
///
/// @param options random bits
record RandomWindows(Side rows, Side columns, int options) {
    /// One dimension of an image.
    private record Side(int kernel, int stride, int padding, int dilation) {
        /// Dilation only without padding, so that every window covers a pixel.
        static Side of(int size, int number, int step) {
            int kernel = Math.min(size, 1 + number % 4);
            int padding = number / 4 % 3 == 2 ? kernel / 2 : 0;
            int dilation = padding == 0 && number / 12 % 3 == 2 && 2 * kernel - 1 <= size ? 2 : 1;
            return new Side(kernel, 1 + step % 3, padding, dilation);
        }
    }

    static RandomWindows of(Shape image, int rows, int columns, int steps, int options) {
        return new RandomWindows(
                Side.of(image.size(1), rows, steps),
                Side.of(image.size(2), columns, rows == columns ? steps : steps / 3),
                options);
    }

    private Extent kernel() {
        return new Extent(rows.kernel(), columns.kernel());
    }

    private Extent stride() {
        return new Extent(rows.stride(), columns.stride());
    }

    private Extent padding() {
        return new Extent(rows.padding(), columns.padding());
    }

    private Extent dilation() {
        return new Extent(rows.dilation(), columns.dilation());
    }

    LayerSpec conv(int out, int groups, boolean bias) {
        return new Conv2d(null, out, kernel(), stride(), new Padding(padding()), dilation(), groups, bias);
    }

    LayerSpec maxPool() {
        return new Pooling.MaxPool2d(null, kernel(), stride(), padding(), dilation(), options % 2 == 1);
    }

    LayerSpec avgPool() {
        return new Pooling.AvgPool2d(null, kernel(), stride(), padding(), options % 2 == 1, options / 2 % 2 == 1);
    }
}
