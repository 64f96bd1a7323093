package io.trainyard.data;

import io.jhdf.HdfFile;
import io.jhdf.object.datatype.FixedPoint;
import io.trainyard.data.Dataset.Split;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/// SIGNS, hands that show 0 to 5, as published by the deeplearning.ai courses: two HDF5 files with the images as
/// uint8 in (N, H, W, C), and the labels as int64 in (N) or (1, N).
record SignsReader() implements DatasetSource {
    /// The most pixel bytes in one part: jHDF returns an int for each byte, four times the memory.
    static final int MAX_PIXEL_BYTES = 1 << 28;

    @Override
    public Dataset read(Path root, DatasetInfo info) {
        DataFolder folder = DataFiles.folder(
                root,
                info,
                List.of("signs"),
                "train_signs.h5 and test_signs.h5 of the SIGNS set from deeplearning.ai's course on convolutional networks");
        return new Dataset(
                info.name(), info.shape(), info.outputs(), part(folder, "train", info), part(folder, "test", info));
    }

    private static Split part(DataFolder folder, String kind, DatasetInfo info) {
        Path file = folder.file(List.of(kind + "_signs.h5"));
        try (HdfFile hdf = HdfFile.fromByteBuffer(mapped(file))) {
            requireWhole(file, hdf);
            byte[] pixels = readPixels(file, hdf, kind + "_set_x", info.shape());
            int images = pixels.length / info.shape().elements();
            return new Split(pixels, readLabels(file, hdf, kind + "_set_y", images, info.outputs()));
        } catch (DatasetException e) {
            throw e;
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        } catch (RuntimeException e) { // on broken files jHDF also throws exceptions of its parser
            throw DataFiles.wrong(file, "no readable HDF5 (%s)".formatted(e), "an intact HDF5 file", e);
        }
    }

    /// Mapped, because from a channel jHDF reads into buffers as long as a header says, up to 2 GiB.
    private static MappedByteBuffer mapped(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            if (channel.size() > Integer.MAX_VALUE) {
                throw DataFiles.wrong(
                        file, "%d bytes".formatted(channel.size()), "at most %d".formatted(Integer.MAX_VALUE));
            }
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        }
    }

    /// jHDF reads zeros after the end of a truncated file.
    private static void requireWhole(Path file, HdfFile hdf) throws IOException {
        long expected = hdf.getHdfBackingStorage().getSuperblock().getEndOfFileAddress();
        if (Files.size(file) < expected) {
            throw DataFiles.wrong(
                    file, "%d bytes".formatted(Files.size(file)), "%d, as the superblock states".formatted(expected));
        }
    }

    private static byte[] readPixels(Path file, HdfFile hdf, String key, Shape shape) throws IOException {
        io.jhdf.api.Dataset set = find(file, hdf, key);
        int[] sizes = set.getDimensions();
        int channels = shape.size(0);
        int plane = shape.size(1) * shape.size(2);
        requireType(file, set, key, 1, false);
        if (sizes.length != 4 || sizes[1] != shape.size(1) || sizes[2] != shape.size(2) || sizes[3] != channels) {
            throw DataFiles.wrong(
                    file,
                    "%s of shape %s".formatted(key, Arrays.toString(sizes)),
                    "(N, %d, %d, %d)".formatted(shape.size(1), shape.size(2), channels));
        }
        long mostBytes = Math.min(MAX_PIXEL_BYTES, Files.size(file) * DataFiles.MAX_COMPRESSION);
        if (sizes[0] < 1 || set.getSizeInBytes() > mostBytes) {
            throw DataFiles.wrong(
                    file,
                    "%d images of %d bytes in %s".formatted(sizes[0], shape.elements(), key),
                    "1 image or more, and not more bytes than the file can hold (%d)".formatted(mostBytes));
        }
        int[] interleaved = (int[]) set.getDataFlat(); // (N, H, W, C), a byte each
        byte[] pixels = new byte[interleaved.length]; // (N, C, H, W)
        for (int i = 0, from = 0; i < sizes[0]; i++) {
            for (int at = 0; at < plane; at++) {
                for (int c = 0; c < channels; c++) {
                    pixels[(i * channels + c) * plane + at] = (byte) interleaved[from++];
                }
            }
        }
        return pixels;
    }

    private static byte[] readLabels(Path file, HdfFile hdf, String key, int images, int classes) {
        io.jhdf.api.Dataset set = find(file, hdf, key);
        int[] sizes = set.getDimensions();
        requireType(file, set, key, Long.BYTES, true);
        if (!Arrays.equals(sizes, new int[] {images}) && !Arrays.equals(sizes, new int[] {1, images})) {
            throw DataFiles.wrong(
                    file,
                    "%s of shape %s".formatted(key, Arrays.toString(sizes)),
                    "[%d] or [1, %d], a label for each image".formatted(images, images));
        }
        long[] values = (long[]) set.getDataFlat();
        byte[] labels = new byte[images];
        for (int i = 0; i < images; i++) {
            DataFiles.checkLabel(file, values[i], i, classes);
            labels[i] = (byte) values[i];
        }
        return labels;
    }

    private static io.jhdf.api.Dataset find(Path file, HdfFile hdf, String key) {
        if (hdf.getChild(key) instanceof io.jhdf.api.Dataset set) {
            return set;
        }
        throw DataFiles.wrong(
                file, "only %s".formatted(new TreeSet<>(hdf.getChildren().keySet())), "a dataset named " + key);
    }

    private static void requireType(Path file, io.jhdf.api.Dataset set, String key, int bytes, boolean signed) {
        boolean right =
                set.getDataType() instanceof FixedPoint type && type.getSize() == bytes && type.isSigned() == signed;
        if (!right) {
            throw DataFiles.wrong(
                    file,
                    "%s of the type %s".formatted(key, nameOf(set)),
                    "%sint%d".formatted(signed ? "" : "u", 8 * bytes));
        }
    }

    private static String nameOf(io.jhdf.api.Dataset set) {
        return set.getDataType() instanceof FixedPoint type
                ? "%sint%d".formatted(type.isSigned() ? "" : "u", 8 * type.getSize())
                : "%s (%d bytes)"
                        .formatted(
                                set.getDataType().getClass().getSimpleName(),
                                set.getDataType().getSize());
    }
}
