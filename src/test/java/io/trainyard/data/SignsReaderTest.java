package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jhdf.HdfFile;
import io.jhdf.WritableHdfFile;
import io.jhdf.api.DatasetCreationOptions;
import io.trainyard.spec.DatasetSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SignsReaderTest {
    private static final DatasetCreationOptions UNSIGNED =
            DatasetCreationOptions.builder().unsigned().build();

    @TempDir
    Path root;

    private Path train;

    @BeforeEach
    void writeFiles() throws IOException {
        Path folder = Files.createDirectory(root.resolve("signs"));
        train = folder.resolve("train_signs.h5");
        write(train, "train", images(2, 64), new long[] {5, 0});
        write(folder.resolve("test_signs.h5"), "test", images(1, 64), new long[] {3});
    }

    /// (count, side, side, 3); the value encodes its position.
    private static byte[][][][] images(int count, int side) {
        byte[][][][] images = new byte[count][side][side][3];
        for (int i = 0; i < count; i++) {
            for (int y = 0; y < side; y++) {
                for (int x = 0; x < side; x++) {
                    for (int c = 0; c < 3; c++) {
                        images[i][y][x][c] = value(i, c, y, x);
                    }
                }
            }
        }
        return images;
    }

    private static byte value(int image, int channel, int y, int x) {
        return (byte) (100 * image + 70 * channel + 5 * y + x);
    }

    private static void write(Path file, String kind, Object images, Object labels) {
        try (WritableHdfFile hdf = HdfFile.write(file)) {
            hdf.putDataset(kind + "_set_x", images, UNSIGNED);
            hdf.putDataset(kind + "_set_y", labels);
        }
    }

    private Dataset open() {
        return new DataRoot(root).open(DatasetSpec.named("signs"));
    }

    private void assertFails(String part) {
        assertThatThrownBy(this::open).isInstanceOf(DatasetException.class).hasMessageContaining(part);
    }

    @Test
    void turnsInterleavedChannelsIntoPlanes() {
        Dataset set = open();
        byte[] expected = new byte[2 * 3 * 64 * 64];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = value(i / (3 * 4096), i / 4096 % 3, i / 64 % 64, i % 64);
        }
        assertThat(SplitBytes.pixels(set.train())).isEqualTo(expected);
        assertThat(set.train().labels()).containsExactly(5, 0);
        assertThat(set.test().labels()).containsExactly(3);
    }

    @Test
    void readsCompressedImagesAndLabelsInARow() {
        try (WritableHdfFile hdf = HdfFile.write(train)) {
            hdf.putDataset(
                    "train_set_x",
                    images(2, 64),
                    DatasetCreationOptions.builder()
                            .unsigned()
                            .chunkDimensions(1, 64, 64, 3)
                            .deflate()
                            .build());
            hdf.putDataset("train_set_y", new long[][] {{4, 1}});
        }
        Dataset set = open();
        assertThat(set.train().labels()).containsExactly(4, 1);
        assertThat(SplitBytes.pixels(set.train())[3 * 4096 + 4096 + 64 + 1]).isEqualTo(value(1, 1, 1, 1));
    }

    @Test
    void refusesAFileWithoutTheKey() {
        write(train, "test", images(2, 64), new long[] {1, 2});
        assertFails("train_signs.h5: found only [test_set_x, test_set_y]; expected a dataset named train_set_x");
    }

    @Test
    void refusesAGroupInPlaceOfTheKey() {
        try (WritableHdfFile hdf = HdfFile.write(train)) {
            hdf.putGroup("train_set_x").putDataset("inner", new long[] {1});
        }
        assertFails("expected a dataset named train_set_x");
    }

    @Test
    void refusesImagesOfAnotherType() {
        try (WritableHdfFile hdf = HdfFile.write(train)) {
            hdf.putDataset("train_set_x", images(2, 64));
            hdf.putDataset("train_set_y", new long[] {1, 2});
        }
        assertFails("train_signs.h5: found train_set_x of the type int8; expected uint8");
        try (WritableHdfFile hdf = HdfFile.write(train)) {
            hdf.putDataset("train_set_x", new float[2][64][64][3]);
        }
        assertFails("train_signs.h5: found train_set_x of the type FloatingPoint (4 bytes); expected uint8");
    }

    @Test
    void refusesImagesOfAnotherShape() {
        write(train, "train", images(2, 32), new long[] {1, 2});
        assertFails("train_signs.h5: found train_set_x of shape [2, 32, 32, 3]; expected (N, 64, 64, 3)");
        write(train, "train", new byte[12288], new long[] {1});
        assertFails("train_signs.h5: found train_set_x of shape [12288]; expected (N, 64, 64, 3)");
    }

    @Test
    void refusesLabelsOfAnotherTypeOrCount() {
        write(train, "train", images(2, 64), new int[] {1, 2});
        assertFails("train_signs.h5: found train_set_y of the type int32; expected int64");
        write(train, "train", images(2, 64), new long[] {1, 2, 3});
        assertFails("train_signs.h5: found train_set_y of shape [3]; expected [2] or [1, 2]");
    }

    @Test
    void refusesALabelOutOfRange() {
        write(train, "train", images(2, 64), new long[] {1, 6});
        assertFails("train_signs.h5: found the label 6 at sample 1; expected labels of 0 to 5");
        write(train, "train", images(2, 64), new long[] {-256, 1});
        assertFails("train_signs.h5: found the label -256 at sample 0");
    }

    @Test
    void rejectsOtherFormats() throws IOException {
        Files.writeString(train, "<html>404</html>");
        assertFails("train_signs.h5: found no readable HDF5");
        Files.write(train, new byte[0]);
        assertFails("train_signs.h5: found no readable HDF5");
    }

    /// Also within the last page, where a mapped file has zeros beyond its end.
    @Test
    void refusesAFileCutShortAnywhere() throws IOException {
        byte[] whole = Files.readAllBytes(train);
        for (int length = 1; length < whole.length; length += length < whole.length - 200 ? 97 : 1) {
            Files.write(train, Arrays.copyOf(whole, length));
            assertFails("train_signs.h5: found ");
        }
    }
}
