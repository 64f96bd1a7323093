package io.trainyard.spec;

/// The windows of a convolution or a pooling, in rows and columns.
public record Windows(Side rows, Side columns) {
    /// The windows along one side of an image: tap t of window i is at pixel i * stride - before + t * dilation.
    /// Positions outside the image are padding.
    ///
    /// @param taps of a window
    /// @param dilation distance between adjacent taps
    /// @param before padding before the image
    /// @param after padding after it
    /// @param ceil whether a last, incomplete window counts if it begins in the image or before
    public record Side(int taps, int stride, int dilation, int before, int after, boolean ceil) {
        /// Pixels from a window's first tap to its last, both inclusive.
        int length() {
            return (taps - 1) * dilation + 1;
        }

        int padded(int size) {
            return size + before + after;
        }

        /// Number of windows; below 1 if a window is larger than the padded image and an incomplete one does not
        /// count.
        ///
        /// @param size of the image
        int count(int size) {
            int space = padded(size) - length();
            if (!ceil) {
                return Math.floorDiv(space, stride) + 1;
            }
            int count = Math.ceilDiv(space, stride) + 1;
            return (count - 1) * stride >= size + before ? count - 1 : count;
        }

        /// The position of a window; negative in the padding.
        public int begin(int window) {
            return window * stride - before;
        }

        /// The first tap of a window that is within the image.
        public int firstTap(int window) {
            return Math.ceilDiv(Math.max(0, -begin(window)), dilation);
        }

        /// One past the last tap of a window that is within the image.
        ///
        /// @param size of the image
        public int endTap(int window, int size) {
            return Math.clamp(Math.ceilDiv(size - begin(window), dilation), 0, taps);
        }

        /// The first window with this tap within the image.
        public int firstWindow(int tap) {
            return Math.ceilDiv(Math.max(0, before - tap * dilation), stride);
        }

        /// One past the last window with this tap within the image.
        ///
        /// @param size of the image
        /// @param count of windows
        public int endWindow(int tap, int size, int count) {
            return Math.clamp(Math.ceilDiv(size + before - tap * dilation, stride), 0, count);
        }

        /// Padding after the image that completes the last window; at least [#after].
        ///
        /// @param size of the image
        /// @param count of windows
        public int needed(int size, int count) {
            return Math.max(after, begin(count - 1) + length() - size);
        }

        /// Whether all taps are pixels of the image.
        ///
        /// @param size of the image
        /// @param count of windows
        public boolean inside(int size, int count) {
            return before == 0 && begin(count - 1) + length() <= size;
        }
    }

    /// @param before padding above and left
    /// @param after padding below and right
    static Windows of(Extent kernel, Extent stride, Extent dilation, Extent before, Extent after) {
        return new Windows(
                new Side(kernel.rows(), stride.rows(), dilation.rows(), before.rows(), after.rows(), false),
                new Side(
                        kernel.columns(),
                        stride.columns(),
                        dilation.columns(),
                        before.columns(),
                        after.columns(),
                        false));
    }

    /// With equal padding on all sides.
    static Windows of(Extent kernel, Extent stride, Extent dilation, Extent padding) {
        return of(kernel, stride, dilation, padding, padding);
    }

    Windows ceiling(boolean ceil) {
        return new Windows(ceiling(rows, ceil), ceiling(columns, ceil));
    }

    private static Side ceiling(Side side, boolean ceil) {
        return new Side(side.taps(), side.stride(), side.dilation(), side.before(), side.after(), ceil);
    }

    /// One output pixel for each window.
    ///
    /// @param in an image
    /// @throws ShapeMismatch if a window is larger than the padded image
    Shape over(Shape in, int channels) {
        LayerChecks.requireImage(in);
        int height = rows.count(in.size(1));
        int width = columns.count(in.size(2));
        if (height < 1 || width < 1) {
            throw new ShapeMismatch("its window of %dx%d is larger than the image with its padding, %dx%d"
                    .formatted(rows.length(), columns.length(), rows.padded(in.size(1)), columns.padded(in.size(2))));
        }
        return Shape.of(channels, height, width);
    }

    /// Whether every tap of every window is a pixel of the image.
    public boolean inside(Shape in, Shape out) {
        return rows.inside(in.size(1), out.size(1)) && columns.inside(in.size(2), out.size(2));
    }

    /// @throws ShapeMismatch if a window covers only padding
    void requirePixels(Shape in, Shape out) {
        requirePixels(rows, in.size(1), out.size(1));
        requirePixels(columns, in.size(2), out.size(2));
    }

    private static void requirePixels(Side side, int size, int count) {
        for (int i = 0; i < count; i++) {
            if (side.firstTap(i) >= side.endTap(i, size)) {
                throw new ShapeMismatch(
                        "its window number %d has no pixel of the %d of its side, only padding; choose a smaller dilation or padding"
                                .formatted(i, size));
            }
        }
    }
}
