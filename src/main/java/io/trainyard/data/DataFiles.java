package io.trainyard.data;

import io.trainyard.spec.Printable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Shared by the readers: files under the data root, limits and error messages.
final class DataFiles {
    /// The most pixel bytes in one part: the largest Java array (2^31 elements minus a few header words).
    static final int MAX_PIXEL_BYTES = Integer.MAX_VALUE - 8;

    /// The most elements in one array: more than fit on today's disks, and few enough not to overflow a `long`.
    private static final long MAX_ELEMENTS = 1L << 40;

    /// Deflate compresses at most 1032 to 1 (https://zlib.net/zlib_tech.html, "Maximum Compression Factor"). A
    /// header that promises more is wrong, and no memory is allocated for it.
    static final long MAX_COMPRESSION = 1032;

    private DataFiles() {}

    /// Returns the first of `folders` that exists under `root`.
    ///
    /// @param source where to get the dataset, as the end of a sentence that starts with "get"
    static DataFolder folder(Path root, DatasetInfo info, List<String> folders, String source) {
        return folders.stream()
                .flatMap(name -> DataFolder.find(root, name).stream())
                .findFirst()
                .orElseThrow(() -> new DatasetException(
                        "dataset %s is not there: the data root %s has no folder %s; get %s and put its files there, or name another data root with --data"
                                .formatted(info.name(), root.toAbsolutePath(), String.join(" or ", folders), source)));
    }

    static DatasetException wrong(Path file, String found, String expected) {
        return new DatasetException(problem(file, found, expected));
    }

    static DatasetException wrong(Path file, String found, String expected, Throwable cause) {
        return new DatasetException(problem(file, found, expected), cause);
    }

    private static String problem(Path file, String found, String expected) {
        return "%s: found %s; expected %s; replace the file with the one that was published"
                .formatted(file.toAbsolutePath(), found, expected);
    }

    /// Checks the sizes of a header before they are used.
    ///
    /// @param name of the array, for the message
    static void requireSizes(Path file, String name, List<Long> shape) {
        long elements = 1;
        for (long size : shape) {
            elements = size < 1 || size > MAX_ELEMENTS / elements ? 0 : elements * size;
            if (elements == 0) {
                break;
            }
        }
        if (elements == 0 || shape.isEmpty() || shape.size() > NumberArray.MAX_RANK) {
            throw wrong(
                    file,
                    "%s of shape %s".formatted(name, shape),
                    "1 to %d sizes of at least 1, which multiplied are at most %d"
                            .formatted(NumberArray.MAX_RANK, MAX_ELEMENTS));
        }
    }

    /// Text from a file, escaped and shortened for a message.
    static String printable(String text) {
        return Printable.text(text, 80);
    }

    static DatasetException unreadable(Path file, IOException cause) {
        return new DatasetException(
                "%s cannot be read (%s: %s); check that it is a file and that its permissions let this user read it"
                        .formatted(file.toAbsolutePath(), cause.getClass().getSimpleName(), cause.getMessage()),
                cause);
    }

    static void checkLabel(Path file, long label, int index, int classes) {
        if (label < 0 || label >= classes) {
            throw wrong(
                    file,
                    "the label %d at sample %d".formatted(label, index),
                    "labels of 0 to %d".formatted(classes - 1));
        }
    }
}
