package io.trainyard.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.Shape;
import io.trainyard.spec.SplitSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A packed file equals the dataset that it was made from, and every changed byte is detected.
class PackedFileTest {
    @TempDir
    Path root;

    private Path own;
    private Path packed;

    @BeforeEach
    void makeFolder() throws IOException {
        own = Files.createDirectory(root.resolve("own"));
        packed = root.resolve("packed");
    }

    private Dataset open(String name) {
        return new DataRoot(root).open(DatasetSpec.named(name));
    }

    private Path pack(DatasetSpec how) {
        return UserFolder.at(own).pack(packed, how, false);
    }

    private Path pack() {
        return pack(DatasetSpec.named("own"));
    }

    private void requireSame(Dataset source, Dataset copy) {
        assertThat(copy.shape()).isEqualTo(source.shape());
        assertThat(copy.outputs()).isEqualTo(source.outputs());
        requireSame(source.train(), copy.train());
        requireSame(source.test(), copy.test());
    }

    private static void requireSame(Dataset.Split source, Dataset.Split copy) {
        assertThat(copy.samples()).hasSameClassAs(source.samples());
        assertThat(copy.samples().memory().mismatch(source.samples().memory())).isEqualTo(-1);
        switch (source.targets()) {
            case Targets.ClassLabels labels -> assertThat(copy.labels()).containsExactly(labels.labels());
            case Targets.Numbers numbers ->
                assertThat(copy.targets()).usingRecursiveComparison().isEqualTo(numbers);
        }
    }

    @Test
    void rowsOfFloatsStayUnchanged() throws IOException {
        Npy.write(own, Npy.rows());
        Files.writeString(
                own.resolve("dataset.json"),
                "{\"kind\": \"arrays\", \"classNames\": [\"a\", \"b\", \"c\"], \"normalize\": {\"mean\": [1, 2], \"std\": [3, 4]}}");
        pack();
        requireSame(open("own"), open("packed"));
        DatasetInfo info = new DataRoot(root).describe(DatasetSpec.named("packed"));
        assertThat(info.classNames()).containsExactly("a", "b", "c");
        assertThat(info.normalize()).isEqualTo(new DatasetSpec.Normalize(List.of(1.0, 2.0), List.of(3.0, 4.0)));
    }

    @Test
    void theManifestsMeansOverrideThePackedOnes() throws IOException {
        Npy.write(own, Npy.rows());
        pack();
        Files.writeString(
                packed.resolve("dataset.json"),
                "{\"kind\": \"packed\", \"normalize\": {\"mean\": [5, 6], \"std\": [1, 1]}}");
        assertThat(new DataRoot(root).describe(DatasetSpec.named("packed")).normalize())
                .isEqualTo(new DatasetSpec.Normalize(List.of(5.0, 6.0), List.of(1.0, 1.0)));
    }

    @Test
    void regressionTargetsStayUnchanged() throws IOException {
        Files.writeString(own.resolve("train.csv"), "a,b,y\n1,2,.5\n3,4,-7\n5,6,1e9\n");
        Files.writeString(own.resolve("test.csv"), "a,b,y\n7,8,2\n");
        Files.writeString(own.resolve("dataset.json"), "{\"kind\": \"csv\", \"targets\": [\"y\", \"b\"]}");
        pack();
        requireSame(open("own"), open("packed"));
        assertThat(open("packed").outputs()).isEqualTo(2);
    }

    @Test
    void imagesArePackedAsAJobWouldReadThem() throws IOException {
        StripedImages.write(own, 0, 40);
        DatasetSpec how = new DatasetSpec("own", null, List.of(9, 7), null, new SplitSpec(0.25, 3), null, null);
        pack(how);
        requireSame(new DataRoot(root).open(how), open("packed"));
        assertThat(open("packed").shape()).isEqualTo(Shape.of(3, 9, 7));
        assertThat(open("packed").train().size()).isEqualTo(30);
    }

    @Test
    void splitsLikeTorchWithoutATestPart() throws IOException {
        OwnIdx.write(own, 50, 1);
        Files.delete(own.resolve("t10k-images-idx3-ubyte"));
        Files.delete(own.resolve("t10k-labels-idx1-ubyte"));
        Files.writeString(
                own.resolve("dataset.json"),
                "{\"kind\": \"idx\", \"classes\": 3, \"split\": {\"test\": 0.3, \"seed\": 5}}");
        pack();
        requireSame(open("own"), open("packed"));
        int[][] parts = RandomSplit.indices(50, new SplitSpec(0.3, 5));
        assertThat(open("packed").test().labels())
                .containsExactly(Stream.of(parts[2])
                        .flatMapToInt(Arrays::stream)
                        .map(n -> n % 3)
                        .toArray());
    }

    @Test
    void samplesBeginWithAPage() throws IOException {
        OwnIdx.write(own, 6, 3);
        Files.writeString(own.resolve("dataset.json"), "{\"kind\": \"idx\", \"classes\": 3}");
        SafetensorsFile file = new SafetensorsFile(pack());
        assertThat((file.dataBegin() + file.begin("x_train")) % 4096).isZero();
    }

    /// Files of several blocks: changes a byte at many places, then truncates at each.
    @Test
    void detectsAChangedByteAnywhere() throws IOException {
        Path file = packOfSeveralBlocks();
        byte[] whole = Files.readAllBytes(file);
        assertThat(whole.length).isGreaterThan(2 * PackedFile.BLOCK_BYTES);
        Random random = new Random(11);
        for (int i = 0; i < 60; i++) {
            int place = i < 20 ? i : i < 40 ? whole.length - 1 - (i - 20) : random.nextInt(whole.length);
            byte[] changed = whole.clone();
            changed[place] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, changed);
            assertThatThrownBy(() -> open("packed"))
                    .as("byte %d", place)
                    .isInstanceOf(DatasetException.class)
                    .hasMessageContaining(file.toString());
        }
        Files.write(file, whole);
        assertThat(open("packed").train().size()).isEqualTo(700);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 100, 4095, 4096, 1 << 20, (2 << 20) + 7})
    void detectsATruncatedFile(int length) throws IOException {
        Path file = packOfSeveralBlocks();
        try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        }
        assertThatThrownBy(() -> open("packed"))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void detectsTrailingBytes() throws IOException {
        Path file = packOfSeveralBlocks();
        Files.write(file, new byte[4], StandardOpenOption.APPEND);
        assertThatThrownBy(() -> open("packed"))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("something was added");
    }

    @Test
    void theDamagedSamplesAreNamed() throws IOException {
        Path file = packOfSeveralBlocks();
        byte[] bytes = Files.readAllBytes(file);
        long begin = new SafetensorsFile(file).dataBegin();
        bytes[(int) begin + PackedFile.BLOCK_BYTES + 5]++;
        Files.write(file, bytes);
        assertThatThrownBy(() -> open("packed"))
                .hasMessageContaining("between its bytes %d and %d".formatted(begin + (1 << 20), begin + (2 << 20)))
                .hasMessageContaining("samples 339 to 680 of x_train")
                .hasMessageContaining("dataset convert");
    }

    /// 700 images of 3072 bytes, with labels of 8 bytes.
    private Path packOfSeveralBlocks() throws IOException {
        byte[] records = new byte[700 * 3073];
        new Random(7).nextBytes(records);
        for (int i = 0; i < 700; i++) {
            records[i * 3073] = (byte) (i % 10);
        }
        Files.write(own.resolve("train.bin"), records);
        Files.write(own.resolve("test.bin"), new byte[3073]);
        Files.writeString(
                own.resolve("dataset.json"),
                "{\"kind\": \"cifar\", \"classes\": 10, \"train\": [\"train.bin\"], \"test\": [\"test.bin\"]}");
        return pack();
    }

    @Test
    void replacesNothingByDefault() throws IOException {
        Npy.write(own, Npy.rows());
        Files.writeString(own.resolve("dataset.json"), "{\"kind\": \"arrays\"}");
        pack();
        assertThatThrownBy(this::pack)
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("packed.safetensors exists already");
        UserFolder.at(own).pack(packed, DatasetSpec.named("own"), true);
        assertThatThrownBy(() -> UserFolder.at(own).pack(own, DatasetSpec.named("own"), true))
                .hasMessageContaining("is the folder that is packed");
        try (Stream<Path> files = Files.list(packed)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("dataset.json", "packed.safetensors");
        }
    }

    /// A failed pack leaves no file that looks complete.
    @Test
    void anUnreadableDatasetLeavesNoFile() throws IOException {
        Npy.write(own, Npy.rows());
        Files.writeString(own.resolve("dataset.json"), "{\"kind\": \"arrays\"}");
        Files.write(own.resolve("y_test.npy"), Npy.npy("<i8", "(2,)", Npy.longs(1, 9)));
        assertThatThrownBy(this::pack).hasMessageContaining("class labels of 0 to 2");
        try (Stream<Path> files = Files.list(packed)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void aFileOfAnotherFormatIsRefused() throws IOException {
        Files.write(own.resolve("packed.safetensors"), Npy.safetensors());
        Files.writeString(own.resolve("dataset.json"), "{\"kind\": \"packed\"}");
        assertRefused(null, "no format in its metadata", "trainyard-packed-1");
    }

    @Test
    void rejectsFieldsOfImageFolders() throws IOException {
        Npy.write(own, Npy.rows());
        pack();
        assertThatThrownBy(() -> new DataRoot(root)
                        .open(new DatasetSpec("packed", null, null, null, new SplitSpec(0.5, 0), null, null)))
                .hasMessageContaining("has a part to test with; leave out dataset.split");
    }

    private void assertRefused(@Nullable SplitSpec split, String... parts) {
        assertThatThrownBy(() -> new DataRoot(root).open(new DatasetSpec("own", null, null, null, split, null, null)))
                .isInstanceOf(DatasetException.class)
                .hasMessageContainingAll(parts);
    }
}
