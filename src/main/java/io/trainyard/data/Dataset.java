package io.trainyard.data;

import io.trainyard.spec.Shape;
import java.util.Arrays;

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

    /// The same, with only the test samples `from` to `to`, without it.
    public Dataset withTests(int from, int to) {
        Split part = new Split(
                Arrays.copyOfRange(test.pixels(), from * shape.elements(), to * shape.elements()),
                Arrays.copyOfRange(test.labels(), from, to));
        return new Dataset(name, shape, classes, train, part);
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
