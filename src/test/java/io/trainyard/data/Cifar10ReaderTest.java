package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.spec.DatasetSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class Cifar10ReaderTest {
    private static final int RECORD_BYTES = 3073;

    @TempDir
    Path root;

    private Path folder;

    /// `data_batch_1.bin` has one image, `_2` has two, and so on. Image k of file i has the label i + k and
    /// pixels of 10 i + k.
    @BeforeEach
    void writeFiles() throws IOException {
        folder = Files.createDirectory(root.resolve("cifar10"));
        for (int file = 1; file <= 5; file++) {
            write("data_batch_%d.bin".formatted(file), file, file);
        }
        write("test_batch.bin", 0, 1);
    }

    private void write(String name, int number, int records) throws IOException {
        byte[] bytes = new byte[records * RECORD_BYTES];
        for (int k = 0; k < records; k++) {
            Arrays.fill(bytes, k * RECORD_BYTES, (k + 1) * RECORD_BYTES, (byte) (10 * number + k));
            bytes[k * RECORD_BYTES] = (byte) (number + k);
        }
        Files.write(folder.resolve(name), bytes);
    }

    private Dataset open() {
        return new DataRoot(root).open(DatasetSpec.named("cifar10"));
    }

    @Test
    void readsFilesOfAnyNumberOfRecordsInOrder() {
        Dataset set = open();
        assertThat(set.train().labels()).containsExactly(1, 2, 3, 3, 4, 5, 4, 5, 6, 7, 5, 6, 7, 8, 9);
        assertThat(SplitBytes.pixels(set.train())[3 * 3072 - 1]).isEqualTo((byte) 21);
        assertThat(SplitBytes.pixels(set.train())[3 * 3072]).isEqualTo((byte) 30);
    }

    @Test
    void keepsPixelsAsTheyAre() throws IOException {
        byte[] bytes = new byte[RECORD_BYTES];
        bytes[0] = 9;
        bytes[1] = (byte) 255; // red of the first pixel
        bytes[1 + 1024] = 7; // its green
        bytes[3072] = 3; // blue of the last
        Files.write(folder.resolve("test_batch.bin"), bytes);
        Dataset set = open();
        assertThat(set.test().labels()).containsExactly(9);
        assertThat(SplitBytes.pixels(set.test())).isEqualTo(Arrays.copyOfRange(bytes, 1, RECORD_BYTES));
    }

    @Test
    void acceptsTheFolderNameOfTheArchive() throws IOException {
        Files.move(folder, root.resolve("cifar-10-batches-bin"));
        assertThat(open().train().size()).isEqualTo(15);
    }

    @Test
    void refusesAMissingBatch() throws IOException {
        Files.delete(folder.resolve("data_batch_4.bin"));
        assertFails("data_batch_4.bin is missing in " + folder);
    }

    @Test
    void refusesAFileThatEndsWithinARecord() throws IOException {
        Files.write(folder.resolve("data_batch_2.bin"), new byte[2 * RECORD_BYTES - 1]);
        assertFails("data_batch_2.bin: found 6145 bytes; expected a multiple of 3073");
    }

    @Test
    void refusesAnEmptyFile() throws IOException {
        Files.write(folder.resolve("test_batch.bin"), new byte[0]);
        assertFails("test_batch.bin: found 0 bytes; expected a multiple of 3073");
    }

    @Test
    void refusesALabelOutOfRange() throws IOException {
        byte[] bytes = new byte[2 * RECORD_BYTES];
        bytes[RECORD_BYTES] = (byte) 200;
        Files.write(folder.resolve("data_batch_3.bin"), bytes);
        assertFails("data_batch_3.bin: found the label 200 at sample 1; expected labels of 0 to 9");
    }

    @Test
    void refusesAFolderInTheFilesPlace() throws IOException {
        Files.delete(folder.resolve("test_batch.bin"));
        Files.createDirectories(folder.resolve("test_batch.bin"));
        assertThatThrownBy(this::open)
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(folder.resolve("test_batch.bin").toString());
    }

    private void assertFails(String part) {
        assertThatThrownBy(this::open).isInstanceOf(DatasetException.class).hasMessageContaining(part);
    }
}
