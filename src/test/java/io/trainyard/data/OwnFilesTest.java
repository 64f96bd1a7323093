package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import io.trainyard.spec.SplitSpec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/// IDX and CIFAR files of any sizes and numbers of classes.
class OwnFilesTest extends DatasetFolder {
    OwnFilesTest() {
        super("own");
    }

    private void describe(String json) throws IOException {
        write("dataset.json", json);
    }

    private static byte[] idx(int type, int[] sizes, byte[] values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 + 4 * sizes.length + values.length);
        bytes.putInt(type << 8 | sizes.length);
        for (int size : sizes) {
            bytes.putInt(size);
        }
        return bytes.put(values).array();
    }

    /// Two training images and one test image.
    private void writeIdx(int... one) throws IOException {
        int bytes = 1;
        int[] sizes = new int[1 + one.length];
        for (int i = 0; i < one.length; i++) {
            bytes *= one[i];
            sizes[i + 1] = one[i];
        }
        byte[] values = new byte[2 * bytes];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) i;
        }
        sizes[0] = 2;
        write("train-images-idx3-ubyte", idx(8, sizes, values));
        write("train-labels-idx1-ubyte", idx(8, new int[] {2}, Npy.bytes(200, 3)));
        sizes[0] = 1;
        write("t10k-images-idx3-ubyte", idx(8, sizes, Arrays.copyOf(values, bytes)));
        write("t10k-labels-idx1-ubyte", idx(8, new int[] {1}, Npy.bytes(0)));
    }

    @Test
    void imagesOfIdxAreAsLargeAsTheirHeaderSays() throws IOException {
        describe("{\"kind\": \"idx\", \"classes\": 201}");
        writeIdx(5, 3);
        assertThat(open().shape()).isEqualTo(Shape.of(1, 5, 3));
        assertThat(open().train().labels()).containsExactly(200, 3);
        writeIdx(3, 2, 4);
        assertThat(open().shape()).isEqualTo(Shape.of(3, 2, 4));
        writeIdx(1, 2, 4);
        assertThat(open().shape()).isEqualTo(Shape.of(1, 2, 4));
        assertThat(SplitBytes.pixels(open().train())).hasSize(16).startsWith(0, 1, 2);
        writeIdx(7);
        assertThat(open().shape()).isEqualTo(Shape.of(7));
    }

    @Test
    void filesOfIdxMayHaveOtherNames() throws IOException {
        writeIdx(5, 3);
        Path labels = Files.move(folder.resolve("train-labels-idx1-ubyte"), folder.resolve("labels"));
        describe("{\"kind\": \"idx\", \"classes\": 201, \"trainLabels\": \"labels\"}");
        assertThat(open().train().labels()).containsExactly(200, 3);
        try (var out = new GZIPOutputStream(Files.newOutputStream(folder.resolve("labels.gz")))) {
            Files.copy(labels, out);
        }
        describe("{\"kind\": \"idx\", \"classes\": 201, \"trainLabels\": \"labels.gz\"}");
        assertThat(open().train().labels()).containsExactly(200, 3);
    }

    /// Big-endian: the second byte from the right counts 256.
    @Test
    void labelsOfIdxMayBeIntegers() throws IOException {
        describe("{\"kind\": \"idx\", \"classes\": 1001}");
        writeIdx(5, 3);
        write("train-labels-idx1-ubyte", idx(0x0C, new int[] {2}, new byte[] {0, 0, 3, (byte) 0xe8, 0, 0, 0, 7}));
        assertThat(open().train().labels()).containsExactly(1000, 7);
        write("train-labels-idx1-ubyte", idx(0x0C, new int[] {2}, new byte[] {0, 0, 3, (byte) 0xe9, 0, 0, 0, 7}));
        assertRefused("the label 1001 at sample 0", "labels of 0 to 1000");
        write("train-labels-idx1-ubyte", idx(0x0C, new int[] {2}, new byte[4]));
        assertRefused("4 bytes behind the header", "8, as the header states");
    }

    @Test
    void rejectsIdxOfOtherTypesThanBytes() throws IOException {
        describe("{\"kind\": \"idx\", \"classes\": 201}");
        writeIdx(5, 3);
        write("train-images-idx3-ubyte", idx(0x0D, new int[] {2, 1, 1}, new byte[8]));
        assertRefused("a file that begins with [0, 0, 13, 3]", "[0, 0, 8, 2 to 4]");
        write("train-images-idx3-ubyte", idx(8, new int[] {2, 1 << 30, 1 << 30}, new byte[8]));
        assertRefused("images of shape [1073741824, 1073741824]", "1 to 4 sizes of at least 1");
        writeIdx(5, 3);
        write("t10k-images-idx3-ubyte", idx(8, new int[] {1, 3, 5}, new byte[15]));
        assertRefused("images of [3, 5]", "images of [5, 3]");
    }

    /// The split must equal random_split's; ImageFolderTest compares its indices with PyTorch's.
    @Test
    void aSplitProvidesTheTestPart() throws IOException {
        byte[] records = new byte[20 * 2];
        for (int i = 0; i < 20; i++) {
            records[2 * i] = (byte) (i % 3);
            records[2 * i + 1] = (byte) (100 + i);
        }
        write("data.bin", records);
        describe("{\"kind\": \"cifar\", \"shape\": [1, 1, 1], \"train\": [\"data.bin\"], \"classes\": 3}");
        assertRefused("has no part to test with; put it there, or write into the job's dataset \"split\": {");
        SplitSpec split = new SplitSpec(0.25, 9);
        Dataset dataset = new DataRoot(root).open(new DatasetSpec("own", null, null, null, split, null, null));
        int[][] parts = RandomSplit.indices(20, split);
        assertThat(dataset.train().size()).isEqualTo(15);
        for (int i = 0; i < 5; i++) {
            assertThat(SplitBytes.pixels(dataset.test())[i]).isEqualTo((byte) (100 + parts[2][i]));
            assertThat(dataset.test().labels()[i]).isEqualTo(parts[2][i] % 3);
        }
        write("test_batch.bin", records);
        assertThatThrownBy(() -> new DataRoot(root).open(new DatasetSpec("own", null, null, null, split, null, null)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("has a part to test with; leave out dataset.split");
    }

    @Test
    void recordsOfCifarMayHaveTwoLabels() throws IOException {
        byte[] records = {9, 1, 10, 11, 12, 8, 2, 20, 21, 22};
        write("train.bin", records);
        write("test.bin", records);
        describe("{\"kind\": \"cifar\", \"shape\": [3, 1, 1], \"labels\": \"fine\", \"classes\": 3}");
        assertThat(open().train().labels()).containsExactly(1, 2);
        assertThat(SplitBytes.pixels(open().train())).containsExactly(10, 11, 12, 20, 21, 22);
        describe("{\"kind\": \"cifar\", \"shape\": [3, 1, 1], \"labels\": \"coarse\", \"classes\": 10}");
        assertThat(open().train().labels()).containsExactly(9, 8);
        write("test.bin", new byte[9]);
        assertRefused("9 bytes", "a multiple of 5 (2 labels and 3 bytes of pixels a record)");
    }

    @Test
    void filesOfCifarMayHaveOtherNames() throws IOException {
        write("a.bin", new byte[] {1, 2, 3});
        write("b.bin", new byte[] {0, 4, 5, 1, 6, 7});
        describe(
                "{\"kind\": \"cifar\", \"shape\": [1, 1, 2], \"classes\": 2, \"train\": [\"b.bin\", \"a.bin\"], \"test\": [\"a.bin\"]}");
        assertThat(open().train().labels()).containsExactly(0, 1, 1);
        assertThat(SplitBytes.pixels(open().train())).containsExactly(4, 5, 6, 7, 2, 3);
        describe("{\"kind\": \"cifar\", \"classes\": 257}");
        assertRefused("classes is 257, but a label is a byte; allowed is 1 to 256");
    }
}
