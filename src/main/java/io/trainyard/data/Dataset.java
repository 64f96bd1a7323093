package io.trainyard.data;

import io.trainyard.spec.Shape;

/// A data set in memory, as bytes: the way it was published, and four times smaller than floats.
///
/// @param shape of one image: (channels, height, width)
/// @param classes labels are 0 to `classes - 1`
public record Dataset(String name, Shape shape, int classes, Split train, Split test) {
    /// Images and their labels.
    ///
    /// @param pixels (N, C, H, W), unsigned bytes
    /// @param labels (N)
    public record Split(byte[] pixels, byte[] labels) {
        /// Number of images.
        public int size() {
            return labels.length;
        }
    }

    public Dataset {
        check(name, "train", shape, classes, train);
        check(name, "test", shape, classes, test);
    }

    private static void check(String name, String part, Shape shape, int classes, Split split) {
        if (split.size() == 0 || (long) split.size() * shape.elements() != split.pixels().length) {
            throw new DatasetException(
                    "the %s part of data set %s has %d labels and %d bytes of pixels; %d bytes an image (%s) are expected"
                            .formatted(part, name, split.size(), split.pixels().length, shape.elements(), shape));
        }
        for (byte label : split.labels()) {
            if (Byte.toUnsignedInt(label) >= classes) {
                throw new DatasetException("the %s part of data set %s has the label %d; allowed is 0 to %d"
                        .formatted(part, name, Byte.toUnsignedInt(label), classes - 1));
            }
        }
    }
}
