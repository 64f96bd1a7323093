package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Cifar10ReaderTest extends DatasetFolder {
    private static final int RECORD_BYTES = 3073;

    Cifar10ReaderTest() {
        super("cifar10");
    }

    /// `data_batch_1.bin` has one image, `_2` has two, and so on. Image k of file i has the label i + k and
    /// pixels of 10 i + k.
    @BeforeEach
    void writeFiles() throws IOException {
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
        assertRefused("data_batch_4.bin is missing in " + folder);
    }

    @ParameterizedTest
    @CsvSource({
        "data_batch_2.bin, 6145, 6145 bytes; expected a multiple of 3073",
        "test_batch.bin, 0, 0 bytes; expected a multiple of 3073",
        "data_batch_3.bin, 6146, the label 200 at sample 1; expected labels of 0 to 9"
    })
    void describesAnInvalidFile(String file, int length, String found) throws IOException {
        byte[] bytes = new byte[length];
        if (length > RECORD_BYTES) {
            bytes[RECORD_BYTES] = (byte) 200;
        }
        write(file, bytes);
        assertRefused(file + ": found " + found);
    }

    @Test
    void refusesAFolderInTheFilesPlace() throws IOException {
        Files.delete(folder.resolve("test_batch.bin"));
        Files.createDirectories(folder.resolve("test_batch.bin"));
        assertRefused(folder.resolve("test_batch.bin").toString());
    }
}
