package io.trainyard.data;

import io.trainyard.data.Dataset.Split;
import io.trainyard.spec.Shape;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/// IDX files (https://yann.lecun.com/exdb/mnist/, "file format"), gzipped or not: images of unsigned bytes, and
/// labels of unsigned bytes or integers.
///
/// @param names of the files, with alternatives
record IdxReader(Names names) {
    /// Alternative names of each file; the first that exists is used.
    record Names(List<String> trainImages, List<String> trainLabels, List<String> testImages, List<String> testLabels) {
        /// MNIST's published names, and the variant with a dot instead of the first hyphen of the ending.
        static final Names USUAL = new Names(
                usual("train-images", 3), usual("train-labels", 1), usual("t10k-images", 3), usual("t10k-labels", 1));

        private static List<String> usual(String name, int dimensions) {
            String dashed = "%s-idx%d-ubyte".formatted(name, dimensions);
            String dotted = "%s.idx%d-ubyte".formatted(name, dimensions);
            return List.of(dashed, dashed + ".gz", dotted, dotted + ".gz");
        }
    }

    /// The third byte of a file is the type of its values. The fourth is the number of dimensions.
    private static final int UNSIGNED_BYTES = 0x08;

    private static final int INTS = 0x0C;

    private static final int MAX_DIMENSIONS = 4;

    static DatasetSource mnist() {
        return builtIn("mnist", "the four files of MNIST, from Yann LeCun's page or a mirror of it,");
    }

    static DatasetSource fashionMnist() {
        return builtIn("fashion-mnist", "the four files of Fashion-MNIST from Zalando Research's repository");
    }

    private static DatasetSource builtIn(String folder, String source) {
        IdxReader reader = new IdxReader(Names.USUAL);
        return (root, info) -> reader.read(
                DataFiles.folder(root, info, List.of(folder), source),
                info,
                info.shape().sizes().subList(1, 3));
    }

    /// The shape of one image: (F), (1, H, W) or (C, H, W).
    ///
    /// @param itemSizes from the header
    static Shape shape(List<Integer> itemSizes) {
        return itemSizes.size() == 2 ? Shape.of(1, itemSizes.get(0), itemSizes.get(1)) : new Shape(itemSizes);
    }

    /// The number of dimensions in the header: one for labels, more for images; 0 if the file is not a supported
    /// IDX file.
    static int dimensions(Path file) {
        try (InputStream in = open(file)) {
            byte[] magic = in.readNBytes(4);
            boolean isIdx = magic.length == 4
                    && magic[0] == 0
                    && magic[1] == 0
                    && (magic[2] == UNSIGNED_BYTES || magic[2] == INTS && magic[3] == 1);
            return isIdx && magic[3] >= 1 && magic[3] <= MAX_DIMENSIONS ? magic[3] : 0;
        } catch (IOException e) { // or not gzipped, in spite of its name
            return 0;
        }
    }

    List<Integer> itemSizes(DataFolder folder) {
        Path file = folder.file(names.trainImages());
        try (InputStream in = open(file)) {
            byte[] magic = in.readNBytes(4);
            int dimensions = magic.length < 4 ? 0 : magic[3];
            if (dimensions < 2 || dimensions > MAX_DIMENSIONS || magic[2] != UNSIGNED_BYTES) {
                throw DataFiles.wrong(
                        file,
                        "a file that begins with %s".formatted(Arrays.toString(magic)),
                        "[0, 0, 8, 2 to %d]: images of unsigned bytes".formatted(MAX_DIMENSIONS));
            }
            byte[] header = in.readNBytes(4 * dimensions);
            if (header.length != 4 * dimensions) {
                throw DataFiles.wrong(file, "%d bytes in all".formatted(4 + header.length), "a whole header");
            }
            ByteBuffer sizes = ByteBuffer.wrap(header, 4, header.length - 4);
            List<Integer> one = IntStream.generate(sizes::getInt)
                    .limit(dimensions - 1)
                    .boxed()
                    .toList();
            DataFiles.requireSizes(
                    file, "images", one.stream().map(Integer::longValue).toList());
            return one;
        } catch (IOException e) {
            throw broken(file, e);
        }
    }

    Dataset read(DataFolder folder, DatasetInfo info, List<Integer> itemSizes) {
        Split train = train(folder, info, itemSizes);
        Split test = part(folder.file(names.testImages()), folder.file(names.testLabels()), info, itemSizes);
        return new Dataset(info.name(), info.shape(), info.outputs(), train, test);
    }

    Split train(DataFolder folder, DatasetInfo info, List<Integer> itemSizes) {
        return part(folder.file(names.trainImages()), folder.file(names.trainLabels()), info, itemSizes);
    }

    private static Split part(Path imageFile, Path labelFile, DatasetInfo info, List<Integer> itemSizes) {
        int[] labels = readLabels(labelFile, info.outputs());
        byte[] pixels = readBytes(
                imageFile, UNSIGNED_BYTES, itemSizes.stream().mapToInt(i -> i).toArray());
        int images = pixels.length / info.shape().elements();
        if (images != labels.length) {
            throw DataFiles.wrong(
                    labelFile,
                    "%d labels".formatted(labels.length),
                    "%d, one for each image of %s".formatted(images, imageFile.getFileName()));
        }
        return new Split(Samples.Pixels.of(pixels), new Targets.ClassLabels(labels));
    }

    private static int[] readLabels(Path file, int classes) {
        boolean ints;
        try (InputStream in = open(file)) {
            byte[] magic = in.readNBytes(4);
            ints = magic.length == 4 && magic[2] == INTS;
        } catch (IOException e) {
            throw broken(file, e);
        }
        ByteBuffer values = ByteBuffer.wrap(readBytes(file, ints ? INTS : UNSIGNED_BYTES, new int[0]));
        int[] labels = new int[values.capacity() / (ints ? Integer.BYTES : 1)];
        for (int i = 0; i < labels.length; i++) {
            labels[i] = ints ? values.getInt() : Byte.toUnsignedInt(values.get());
            DataFiles.checkLabel(file, labels[i], i, classes);
        }
        return labels;
    }

    @SuppressWarnings("resource") // the caller closes the result; errors close it here
    private static InputStream open(Path file) throws IOException {
        InputStream raw = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
        try {
            return isGzipped(file) ? new GZIPInputStream(raw, 1 << 16) : raw;
        } catch (IOException e) {
            raw.close();
            throw e;
        }
    }

    private static boolean isGzipped(Path file) {
        return file.getFileName().toString().endsWith(".gz");
    }

    /// Reads the values after the header. The file must have exactly as many as the header states.
    ///
    /// @param type of the values
    /// @param itemSizes expected in the header after the number of items
    private static byte[] readBytes(Path file, int type, int[] itemSizes) {
        try (InputStream in = open(file)) {
            long mostBytes = Files.size(file) * (isGzipped(file) ? DataFiles.MAX_COMPRESSION : 1);
            int bytes = readHeader(file, in, new Expected(type, itemSizes, mostBytes));
            byte[] values = in.readNBytes(bytes);
            if (values.length != bytes) {
                throw DataFiles.wrong(
                        file,
                        "%d bytes behind the header".formatted(values.length),
                        "%d, as the header states".formatted(bytes));
            }
            if (in.read() >= 0) { // also makes the gzip reader verify its checksum
                throw DataFiles.wrong(
                        file, "more bytes behind the header", "%d, as the header states".formatted(bytes));
            }
            return values;
        } catch (IOException e) {
            throw broken(file, e);
        }
    }

    private static DatasetException broken(Path file, IOException e) {
        return switch (e) {
            case EOFException _ -> DataFiles.wrong(file, "an end within the gzip stream", "a complete one", e);
            case ZipException _ ->
                DataFiles.wrong(file, "a broken gzip stream (%s)".formatted(e.getMessage()), "an intact one", e);
            default -> DataFiles.unreadable(file, e);
        };
    }

    private record Expected(int type, int[] itemSizes, long mostBytes) {
        int magic() {
            return type << Byte.SIZE | (1 + itemSizes.length);
        }

        long itemBytes() {
            long values = Arrays.stream(itemSizes).asLongStream().reduce(1, Math::multiplyExact);
            return values * (type == INTS ? Integer.BYTES : 1);
        }
    }

    /// Checks the header; returns the number of bytes after it.
    private static int readHeader(Path file, InputStream in, Expected expected) throws IOException {
        int[] itemSizes = expected.itemSizes();
        byte[] bytes = in.readNBytes(4 * (2 + itemSizes.length));
        if (bytes.length != 4 * (2 + itemSizes.length)) {
            throw DataFiles.wrong(
                    file,
                    "%d bytes in all".formatted(bytes.length),
                    "a header of %d".formatted(4 * (2 + itemSizes.length)));
        }
        ByteBuffer header = ByteBuffer.wrap(bytes);
        int magic = header.getInt();
        if (magic != expected.magic()) {
            throw DataFiles.wrong(
                    file, "the magic number 0x%08x".formatted(magic), "0x%08x".formatted(expected.magic()));
        }
        int items = header.getInt();
        int[] sizes = IntStream.generate(header::getInt).limit(itemSizes.length).toArray();
        if (!Arrays.equals(sizes, itemSizes)) {
            throw DataFiles.wrong(
                    file,
                    "images of %s".formatted(Arrays.toString(sizes)),
                    "images of %s".formatted(Arrays.toString(itemSizes)));
        }
        long total = items * expected.itemBytes();
        if (items < 1 || total > DataFiles.MAX_PIXEL_BYTES || total > expected.mostBytes()) {
            throw DataFiles.wrong(
                    file,
                    "a header that states %d items, so %d bytes".formatted(items, total),
                    "1 item or more, and not more bytes than the file can hold (%d)"
                            .formatted(Math.min(expected.mostBytes(), DataFiles.MAX_PIXEL_BYTES)));
        }
        return (int) total;
    }
}
