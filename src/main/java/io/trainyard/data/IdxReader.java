package io.trainyard.data;

import io.trainyard.data.Dataset.Split;
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

/// MNIST and the sets made like it: four IDX files (https://yann.lecun.com/exdb/mnist/, "file format"), gzipped or
/// not, named `train-images-idx3-ubyte` or `train-images.idx3-ubyte`.
///
/// @param folder under the data root
/// @param source where the set can be had
record IdxReader(String folder, String source) implements DatasetSource {
    /// "IDX of unsigned bytes": 0, 0, 8, and then the number of dimensions.
    private static final int MAGIC_BYTES = 0x0800;

    static IdxReader mnist() {
        return new IdxReader("mnist", "the four files of MNIST, from Yann LeCun's page or a mirror of it,");
    }

    static IdxReader fashionMnist() {
        return new IdxReader("fashion-mnist", "the four files of Fashion-MNIST from Zalando Research's repository");
    }

    @Override
    public Dataset read(Path root, DatasetInfo info) {
        return read(DataFiles.folder(root, info, List.of(folder), source), info);
    }

    /// The four files of a folder.
    static Dataset read(DataFolder files, DatasetInfo info) {
        return new Dataset(
                info.name(), info.shape(), info.outputs(), part(files, "train", info), part(files, "t10k", info));
    }

    private static Split part(DataFolder folder, String kind, DatasetInfo info) {
        Path imageFile = find(folder, kind + "-images", 3);
        Path labelFile = find(folder, kind + "-labels", 1);
        byte[] labels = readBytes(labelFile, new int[0]);
        byte[] pixels = readBytes(
                imageFile, new int[] {info.shape().size(1), info.shape().size(2)});
        int images = pixels.length / info.shape().elements();
        if (images != labels.length) {
            throw DataFiles.wrong(
                    labelFile,
                    "%d labels".formatted(labels.length),
                    "%d, one for each image of %s".formatted(images, imageFile.getFileName()));
        }
        for (int i = 0; i < labels.length; i++) {
            DataFiles.checkLabel(labelFile, Byte.toUnsignedInt(labels[i]), i, info.outputs());
        }
        return new Split(pixels, labels);
    }

    private static Path find(DataFolder folder, String name, int dimensions) {
        String dashed = "%s-idx%d-ubyte".formatted(name, dimensions);
        String dotted = "%s.idx%d-ubyte".formatted(name, dimensions);
        return folder.file(List.of(dashed, dashed + ".gz", dotted, dotted + ".gz"));
    }

    /// The bytes behind the header, of which the file has to have exactly as many as the header says.
    ///
    /// @param itemSizes what the header has to say after the number of items
    private static byte[] readBytes(Path file, int[] itemSizes) {
        boolean gzipped = file.getFileName().toString().endsWith(".gz");
        try (InputStream raw = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
                InputStream in = gzipped ? new GZIPInputStream(raw, 1 << 16) : raw) {
            long mostBytes = Files.size(file) * (gzipped ? DataFiles.MAX_COMPRESSION : 1);
            int bytes = readHeader(file, in, itemSizes, mostBytes);
            byte[] values = in.readNBytes(bytes);
            if (values.length != bytes) {
                throw DataFiles.wrong(
                        file,
                        "%d bytes behind the header".formatted(values.length),
                        "%d, as the header says".formatted(bytes));
            }
            if (in.read() >= 0) { // also makes the gzip reader compare its check sum
                throw DataFiles.wrong(file, "more bytes behind the header", "%d, as the header says".formatted(bytes));
            }
            return values;
        } catch (EOFException e) {
            throw DataFiles.wrong(file, "an end within the gzip stream", "a complete one", e);
        } catch (ZipException e) {
            throw DataFiles.wrong(file, "a broken gzip stream (%s)".formatted(e.getMessage()), "an intact one", e);
        } catch (IOException e) {
            throw DataFiles.unreadable(file, e);
        }
    }

    /// Checks the header; returns how many bytes follow it.
    private static int readHeader(Path file, InputStream in, int[] itemSizes, long mostBytes) throws IOException {
        byte[] bytes = in.readNBytes(4 * (2 + itemSizes.length));
        if (bytes.length != 4 * (2 + itemSizes.length)) {
            throw DataFiles.wrong(
                    file,
                    "%d bytes in all".formatted(bytes.length),
                    "a header of %d".formatted(4 * (2 + itemSizes.length)));
        }
        ByteBuffer header = ByteBuffer.wrap(bytes);
        int magic = header.getInt();
        int expectedMagic = MAGIC_BYTES | (1 + itemSizes.length);
        if (magic != expectedMagic) {
            throw DataFiles.wrong(file, "the magic number 0x%08x".formatted(magic), "0x%08x".formatted(expectedMagic));
        }
        int items = header.getInt();
        int[] sizes = IntStream.generate(header::getInt).limit(itemSizes.length).toArray();
        if (!Arrays.equals(sizes, itemSizes)) {
            throw DataFiles.wrong(
                    file,
                    "images of %s".formatted(Arrays.toString(sizes)),
                    "images of %s".formatted(Arrays.toString(itemSizes)));
        }
        long total = (long) items * Arrays.stream(itemSizes).reduce(1, (a, b) -> a * b);
        if (items < 1 || total > DataFiles.MAX_PIXEL_BYTES || total > mostBytes) {
            throw DataFiles.wrong(
                    file,
                    "a header that says %d items, so %d bytes".formatted(items, total),
                    "1 item or more, and not more bytes than the file can hold (%d)"
                            .formatted(Math.min(mostBytes, DataFiles.MAX_PIXEL_BYTES)));
        }
        return (int) total;
    }
}
