package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.trainyard.spec.DatasetSpec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class IdxReaderTest extends DatasetFolder {
    private static final int IMAGES = 0x0803;
    private static final int LABELS = 0x0801;

    IdxReaderTest() {
        super("mnist");
    }

    @BeforeEach
    void writeFiles() throws IOException {
        write("train-images-idx3-ubyte", images(3));
        write("train-labels-idx1-ubyte", labels(5, 0, 9));
        write("t10k-images-idx3-ubyte", images(1));
        write("t10k-labels-idx1-ubyte", labels(7));
    }

    /// Image k has pixels of 250 + k.
    private static byte[] images(int count) {
        byte[] pixels = new byte[count * 784];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (250 + i / 784);
        }
        return idx(pixels, IMAGES, count, 28, 28);
    }

    private static byte[] labels(int... labels) {
        byte[] bytes = new byte[labels.length];
        for (int i = 0; i < labels.length; i++) {
            bytes[i] = (byte) labels[i];
        }
        return idx(bytes, LABELS, labels.length);
    }

    private static byte[] idx(byte[] values, int... header) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * header.length + values.length);
        Arrays.stream(header).forEach(bytes::putInt);
        return bytes.put(values).array();
    }

    private static byte[] gzipped(byte[] bytes) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }

    private void replaceTrainImagesByGzip(byte[] bytes) throws IOException {
        Files.delete(folder.resolve("train-images-idx3-ubyte"));
        write("train-images-idx3-ubyte.gz", bytes);
    }

    private void assertThreeImages() {
        Dataset set = open();
        assertThat(set.train().labels()).containsExactly(5, 0, 9);
        assertThat(SplitBytes.pixels(set.train())).isEqualTo(Arrays.copyOfRange(images(3), 16, 16 + 3 * 784));
        assertThat(set.test().size()).isEqualTo(1);
    }

    @Test
    void readsPlainFiles() {
        assertThreeImages();
    }

    @Test
    void readsGzippedFiles() throws IOException {
        replaceTrainImagesByGzip(gzipped(images(3)));
        assertThreeImages();
    }

    @Test
    void readsNamesWithADot() throws IOException {
        Files.move(folder.resolve("train-images-idx3-ubyte"), folder.resolve("train-images.idx3-ubyte"));
        Files.delete(folder.resolve("train-labels-idx1-ubyte"));
        write("train-labels.idx1-ubyte.gz", gzipped(labels(5, 0, 9)));
        assertThreeImages();
    }

    @Test
    void readsFashionMnistFromItsOwnFolder() throws IOException {
        Files.move(folder, root.resolve("fashion-mnist"));
        Dataset set = new DataRoot(root).open(DatasetSpec.named("fashion-mnist"));
        assertThat(set.name()).isEqualTo("fashion-mnist");
        assertThat(set.train().size()).isEqualTo(3);
    }

    @Test
    void namesTheSpellingsOfAMissingFile() throws IOException {
        Files.delete(folder.resolve("t10k-labels-idx1-ubyte"));
        assertRefused("t10k-labels-idx1-ubyte or t10k-labels-idx1-ubyte.gz or t10k-labels.idx1-ubyte");
    }

    static Stream<Arguments> wrongFiles() {
        String images = "train-images-idx3-ubyte";
        String labels = "train-labels-idx1-ubyte";
        return Stream.of(
                arguments(
                        images,
                        idx(new byte[784], LABELS, 800, 0, 0),
                        "found the magic number 0x00000801; expected 0x00000803"),
                arguments(labels, new byte[] {0, 0, 8}, "found 3 bytes in all; expected a header of 8"),
                arguments(
                        images,
                        idx(new byte[3 * 1024], IMAGES, 3, 32, 32),
                        "found images of [32, 32]; expected images of [28, 28]"),
                arguments(
                        images,
                        Arrays.copyOf(images(3), 16 + 3 * 784 - 1),
                        "found 2351 bytes behind the header; expected 2352"),
                arguments(
                        images,
                        Arrays.copyOf(images(3), 16 + 3 * 784 + 1),
                        "found more bytes behind the header; expected 2352"),
                arguments(
                        images,
                        idx(new byte[784], IMAGES, 2_000_000, 28, 28),
                        "found a header that states 2000000 items, so 1568000000 bytes"),
                arguments(
                        images,
                        idx(new byte[784], IMAGES, Integer.MAX_VALUE, 28, 28),
                        "found a header that states 2147483647 items"),
                arguments(images, idx(new byte[784], IMAGES, -1, 28, 28), "found a header that states -1 items"),
                arguments(images, idx(new byte[0], IMAGES, 0, 28, 28), "found a header that states 0 items"),
                arguments(labels, labels(1, 2), "found 2 labels; expected 3, one for each image of " + images),
                arguments(labels, labels(1, 10, 2), "found the label 10 at sample 1; expected labels of 0 to 9"));
    }

    @ParameterizedTest
    @MethodSource("wrongFiles")
    void describesAnInvalidFile(String file, byte[] content, String sentence) throws IOException {
        write(file, content);
        assertRefused(file + ": " + sentence);
    }

    static Stream<Arguments> wrongGzipFiles() {
        byte[] whole = gzipped(images(3));
        byte[] wrongSum = whole.clone();
        wrongSum[whole.length - 8] ^= 1;
        return Stream.of(
                arguments(
                        gzipped(idx(new byte[784], IMAGES, 2_000_000, 28, 28)),
                        "a header that states 2000000 items, so 1568000000 bytes"),
                arguments(Arrays.copyOf(whole, whole.length - 4), "an end within the gzip stream"),
                arguments(wrongSum, "a broken gzip stream (Corrupt GZIP trailer)"),
                arguments(images(3), "a broken gzip stream (Not in GZIP format)"));
    }

    @ParameterizedTest
    @MethodSource("wrongGzipFiles")
    void describesAnInvalidGzipFile(byte[] content, String found) throws IOException {
        replaceTrainImagesByGzip(content);
        assertRefused("train-images-idx3-ubyte.gz: found " + found);
    }
}
