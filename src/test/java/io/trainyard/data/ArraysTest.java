package io.trainyard.data;

import static io.trainyard.data.Npy.bytes;
import static io.trainyard.data.Npy.floats;
import static io.trainyard.data.Npy.longs;
import static io.trainyard.data.Npy.npy;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArraysTest extends DatasetFolder {
    ArraysTest() {
        super("rows");
    }

    @BeforeEach
    void writeRows() throws IOException {
        describe("");
        Npy.write(folder, Npy.rows());
    }

    private void describe(String more) throws IOException {
        write("dataset.json", "{\"kind\": \"arrays\"%s}".formatted(more));
    }

    private void array(String name, byte[] npy) throws IOException {
        Npy.write(folder, Map.of(name, npy));
    }

    private DatasetInfo described() {
        return new DataRoot(root).describe(DatasetSpec.named("rows"));
    }

    private static float[] floatsOf(Dataset.Split split) {
        assertThat(split.samples()).isInstanceOf(Samples.Values.class);
        return values(split);
    }

    private void assertRows() {
        Dataset set = open();
        assertThat(set.shape()).isEqualTo(Shape.of(2));
        assertThat(set.outputs()).isEqualTo(3);
        assertThat(floatsOf(set.train())).containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(set.train().labels()).containsExactly(0, 2, 1);
        assertThat(floatsOf(set.test())).containsExactly(7, 8, 9, 10);
        assertThat(set.test().labels()).containsExactly(1, 0);
    }

    @Test
    void filesOfNumpyAreReadAndClassesCounted() {
        assertThat(described().classNames()).containsExactly("0", "1", "2");
        assertRows();
    }

    @Test
    void readsArraysOfOneFile() throws IOException {
        Files.write(folder.resolve("all.npz"), Npy.npz(Npy.rows()));
        describe(", \"file\": \"all.npz\"");
        assertRows();
        Files.write(folder.resolve("all.safetensors"), Npy.safetensors());
        describe(", \"file\": \"all.safetensors\"");
        assertRows();
    }

    /// Bytes are pixels; everything else becomes float32 unchanged.
    @ParameterizedTest
    @CsvSource({
        "<f4, 0000803f 000020c1, 1, -10",
        ">f4, 3f800000 c1200000, 1, -10",
        "<f8, 000000000000f03f 9a9999999999b93f, 1, 0.1",
        "<f2, 003c 00c9, 1, -10",
        "<i4, ffffffff 01000080, -1, -2147483647",
        ">i2, fffe 0100, -2, 256",
        "|i1, ff 7f, -1, 127",
        "<u2, ffff 0100, 65535, 1",
        "<u8, 0000000000000080 ffffffffffffffff, 9.223372e18, 1.8446744e19",
        "|b1, 01 00, 1, 0",
    })
    void allTypesOfNumbersBecomeFloat32(String descr, String hex, float first, float second) throws IOException {
        array("x_test", npy(descr, "(2, 1)", HexFormat.of().parseHex(hex.replace(" ", ""))));
        array("x_train", npy("<f4", "(3, 1)", floats(0, 0, 0)));
        assertThat(floatsOf(open().test())).containsExactly(first, second);
    }

    @Test
    void bytesStayBytes() throws IOException {
        array("x_train", npy("|u1", "(3, 1, 2)", bytes(0, 255, 1, 2, 3, 4)));
        array("x_test", npy("|u1", "(2, 1, 2)", bytes(5, 6, 7, 8)));
        Dataset set = open();
        assertThat(set.shape()).isEqualTo(Shape.of(1, 1, 2));
        assertThat(set.train().samples()).isInstanceOf(Samples.Pixels.class);
        assertThat(SplitBytes.pixels(set.train())).containsExactly(bytes(0, 255, 1, 2, 3, 4));
    }

    /// The files do not say which dimension has the channels.
    @Test
    void rejectsImagesWithoutALayout() throws IOException {
        byte[] values = bytes(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        array("x_train", npy("|u1", "(1, 2, 3, 2)", values));
        array("y_train", npy("<i8", "(1,)", longs(0)));
        array("x_test", npy("|u1", "(1, 2, 3, 2)", values));
        array("y_test", npy("<i8", "(1,)", longs(0)));
        assertRefused("layout is missing, but x_train is of [1, 2, 3, 2]; set \"NCHW\" or \"NHWC\"");
        describe(", \"layout\": \"NCHW\"");
        assertThat(open().shape()).isEqualTo(Shape.of(2, 3, 2));
        assertThat(SplitBytes.pixels(open().train())).containsExactly(values);
        describe(", \"layout\": \"NHWC\"");
        assertThat(open().shape()).isEqualTo(Shape.of(2, 2, 3));
        assertThat(SplitBytes.pixels(open().train())).containsExactly(bytes(0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11));
        array("x_train", npy("<i2", "(1, 2, 3, 2)", doubled(values)));
        assertRefused("samples of 4 bytes a value to train on, and of 1 in its test part; store both in one type");
        array("x_test", npy("<i2", "(1, 2, 3, 2)", doubled(values)));
        assertThat(floatsOf(open().test())).containsExactly(0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11);
        describe(", \"split\": {\"seed\": 1}");
        assertRefused("dataset.split is empty; give it test or validation, a share such as 0.2, or leave it out");
        describe(", \"layout\": \"HWC\"");
        assertRefused("layout is \"HWC\"; it must be one of [NCHW, NHWC]");
    }

    private static byte[] doubled(byte[] values) {
        byte[] wide = new byte[2 * values.length];
        for (int i = 0; i < values.length; i++) {
            wide[2 * i] = values[i];
        }
        return wide;
    }

    @Test
    void targetsAreFloats() throws IOException {
        array("y_train", npy("<f4", "(3, 2)", floats(1, 2, 3, 4, 5, 6)));
        array("y_test", npy("<f4", "(2, 2)", floats(7, 8, 9, 10)));
        assertThat(described().answers()).isEqualTo(new DatasetInfo.Answers.Numbers(2));
        Dataset set = open();
        assertThat(set.outputs()).isEqualTo(2);
        assertThat(set.test().targets()).isInstanceOfSatisfying(Targets.Numbers.class, numbers -> {
            assertThat(numbers.outputs()).isEqualTo(2);
            assertThat(numbers.values()).containsExactly(7, 8, 9, 10);
        });
    }

    @Test
    void theManifestMayNameTheTargets() throws IOException {
        describe(", \"targets\": \"numbers\"");
        assertThat(open().train().targets())
                .isInstanceOfSatisfying(
                        Targets.Numbers.class,
                        numbers -> assertThat(numbers.values()).containsExactly(0, 2, 1));
        array("y_train", npy("<f4", "(3, 1)", floats(0, 1, 1)));
        array("y_test", npy("<f4", "(2,)", floats(1, 0)));
        describe(", \"classNames\": [\"no\", \"yes\"]");
        assertThat(open().train().labels()).containsExactly(0, 1, 1);
        assertThat(described().classNames()).isEqualTo(List.of("no", "yes"));
        describe(", \"classes\": 2, \"targets\": \"numbers\"");
        assertRefused("targets is \"numbers\", but there are classes or classNames");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        y_train | <i8 | (3,)   | 0 5000 1      | y_train[1] of 5000 | class labels of 0 to 4095; numbers to predict are "targets": "numbers"
        y_test  | <i8 | (2,)   | 1 3           | y_test[1] of 3 | class labels of 0 to 2
        y_test  | <i8 | (2,)   | 1 -1          | y_test[1] of -1 | class labels of 0 to 2
        y_test  | <i8 | (1,)   | 1             | y_test, int64 of (1) next to x_test, float32 of (2, 2) | the same number of both
        y_test  | <i8 | (2, 2) | 1 0 0 1       | y_test, int64 of (2, 2) | of one-hot rows numpy.argmax(y, axis=1)
        x_test  | <i8 | (2, 3) | 1 2 3 4 5 6   | x_test, int64 of (2, 3) | samples of 2, as in x_train
        x_test  | <i8 | (2,)   | 1 2           | x_test, int64 of (2) | samples of 2, as in x_train
        x_train | <i8 | (4,)   | 1 2 3 4       | x_train is of [4]; allowed is (N, F), (N, H, W) | docs/reference/datasets.md
        x_train | <i8 | (3, 2) | 1 2 3         | bytes; expected 176, as its header states (int64 of [3, 2]) | found 152
        x_train | <i8 | (3, 1) | 1 2 3 4       | bytes; expected 152, as its header states (int64 of [3, 1]) | found 160
        x_train | <i8 | (0, 2) | 1             | x_train of shape [0, 2] | 1 to 4 sizes of at least 1
        x_train | <i8 | (9223372036854775807, 9223372036854775807) | 1 | x_train of shape [9223372036854775807, 9223372036854775807] | 1 to 4 sizes of at least 1
        x_train | <i8 | (99999999999999999999,) | 1 | x_train of shape (99999999999999999999,) | sizes that fit memory
        x_train | <c8 | (1,)   | 1             | x_train with the header {'descr': '<c8' | numbers: uint8, float32
        x_train | `|O` | (1,)   | 1             | `x_train with the header {'descr': '|O'` | numbers: uint8, float32
        """)
    void describesAnInvalidArray(String name, String descr, String shape, String values, String found, String expected)
            throws IOException {
        long[] longs =
                Arrays.stream(values.split(" ")).mapToLong(Long::parseLong).toArray();
        array(name, npy(descr, shape, longs(longs)));
        assertRefused(found, expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x_train", "x_test"})
    void rejectsNonFiniteNumbers(String name) throws IOException {
        describe(", \"layout\": \"NHWC\"");
        for (String part : List.of("train", "test")) {
            array("x_" + part, npy("<f4", "(1, 1, 2, 2)", floats(1, 2, 3, 4)));
            array("y_" + part, npy("<i8", "(1,)", longs(0)));
        }
        array(name, npy("<f4", "(1, 1, 2, 2)", floats(1, 2, Float.NaN, 4)));
        assertRefused(name + ".npy", name + "[0, 0, 1, 0] of NaN", "finite");
        array(name, npy("<f8", "(1, 1, 2, 2)", longs(0, 0, 0, Double.doubleToLongBits(1e300))));
        assertRefused(name + "[0, 0, 1, 1] of 1.0E300");
    }

    @Test
    void fortranOrderIsRefused() throws IOException {
        array("x_train", npy("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }", floats(1, 2, 3, 4, 5, 6)));
        assertRefused("x_train in Fortran order", "numpy.ascontiguousarray");
    }

    @Test
    void rejectsOtherFilesThanNumpys() throws IOException {
        Files.writeString(folder.resolve("x_train.npy"), "1,2,3 and so on");
        assertRefused("x_train that begins with 312c322c3320616e6420", "934e554d5059");
        Files.delete(folder.resolve("x_train.npy"));
        assertRefused("x_train.npy is missing in " + folder);
    }

    /// Java checks the checksum of a zip entry only when it reads the entry as a stream.
    @Test
    void aZipFileWithAnotherCheckSumIsRefused() throws IOException {
        describe(", \"file\": \"all.npz\"");
        byte[] zip = Npy.npz(Npy.rows());
        int entry = new String(zip, StandardCharsets.ISO_8859_1).indexOf("PK\u0001\u0002"); // of x_train, the first
        zip[entry + 16]++;
        Files.write(folder.resolve("all.npz"), zip);
        assertRefused("x_train of the check sum", "as the file states");
    }

    @Test
    void rejectsFractionalClasses() throws IOException {
        Npy.write(folder, Npy.rows());
        describe(", \"classes\": 3");
        array("y_train", npy("<f4", "(3,)", floats(0, 1.5f, 1)));
        assertRefused("y_train[1] of 1.5", "class labels of 0 to 2");
    }

    @Test
    void targetsAreFinite() throws IOException {
        Npy.write(folder, Npy.rows());
        describe(", \"targets\": \"numbers\"");
        array("y_train", npy("<f4", "(3,)", floats(0, 1, Float.NEGATIVE_INFINITY)));
        array("y_test", npy("<f4", "(2,)", floats(0, 1)));
        assertRefused("y_train[2] of -Infinity", "finite as float32");
        array("y_train", npy("<f4", "(3,)", floats(0, Float.NaN, 2)));
        assertRefused("y_train[1] of NaN", "finite as float32");
    }

    @Test
    void rejectsASafetensorsArrayOfAnotherLength() throws IOException {
        describe(", \"file\": \"all.safetensors\"");
        String file = new String(Npy.safetensors(), StandardCharsets.ISO_8859_1);
        for (String offsets : new String[] {"[0, 20]", "[0, 28]", "[8, 24]"}) {
            String other = file.replace("[0, 24]", offsets);
            Files.write(folder.resolve("all.safetensors"), other.getBytes(StandardCharsets.ISO_8859_1));
            assertRefused("x_train at", "24 bytes within the file");
        }
    }

    @Test
    void aBrokenZipFileIsRefused() throws IOException {
        Path file = folder.resolve("all.npz");
        describe(", \"file\": \"all.npz\"");
        assertRefused("all.npz is missing in");
        Files.writeString(file, "no zip");
        assertRefused("no zip file");
        Map<String, byte[]> arrays = Npy.rows();
        arrays.remove("y_test");
        Files.write(file, Npy.npz(arrays));
        assertRefused("the arrays [x_train, y_train, x_test]", "also one named y_test");
        arrays.put("y_test", npy("<i8", "(2000000000,)", longs(1)));
        Files.write(file, Npy.npz(arrays));
        assertRefused("y_test with a header that states 16000000000 bytes", "not more than the file can hold");
        arrays.put("y_test", npy("<i8", "(2,)", longs(1)));
        Files.write(file, Npy.npz(arrays));
        assertRefused("y_test with 8 bytes behind the header", "expected 16");
    }

    @Test
    void rejectsASafetensorsFileWithAWrongHeader() throws IOException {
        Path file = folder.resolve("all.safetensors");
        describe(", \"file\": \"all.safetensors\"");
        byte[] whole = Npy.safetensors();
        Files.write(
                file,
                new String(whole, StandardCharsets.ISO_8859_1)
                        .replace("[64, 80]", "[72, 88]")
                        .getBytes(StandardCharsets.ISO_8859_1));
        assertRefused("y_test at 72 to 88 of 80 bytes", "16 bytes within the file");
        Files.write(file, Arrays.copyOf(whole, 40));
        assertRefused("a file of 40 bytes that begins with the length");
    }

    @Test
    void rejectsFilesOutsideTheRoot() throws IOException {
        Files.write(root.resolveSibling("outside.npz"), Npy.npz(Npy.rows()));
        describe(", \"file\": \"../../outside.npz\"");
        assertRefused("leads out of the data root");
        describe(", \"file\": \"%s\"".formatted(root.resolveSibling("outside.npz")));
        assertRefused("leads out of the data root");
        describe(", \"file\": \"rows.h5\"");
        assertRefused("file is \"rows.h5\"; allowed is the name of a file that ends in .npz or .safetensors");
    }

    /// Far larger than the memory limit: mapped data costs nothing until it is read.
    @Test
    void samplesAreMappedAndNotCopied() {
        Samples samples = open().train().samples();
        assertThat(samples.memory().isMapped()).isTrue();
        assertThat(samples.memory().isReadOnly()).isTrue();
        assertThat(samples.memory().get(ValueLayout.JAVA_BYTE, 3)).isEqualTo((byte) 0x3f);
    }
}
