package io.trainyard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.Parameters;
import io.trainyard.device.Tensor;
import io.trainyard.spec.Shape;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SafeTensorsTest {
    private static final float[] BITS = {0f, -0f, 1.5f, Float.MIN_VALUE, Float.NaN, Float.NEGATIVE_INFINITY};

    @Test
    void readsItsOwnOutput() throws IOException {
        SafeTensors read = SafeTensors.read(new ByteArrayInputStream(example()));

        assertThat(read.metadata()).containsExactlyInAnyOrderEntriesOf(Map.of("job", "a", "step", "7"));
        assertThat(read.tensors().tensors().keySet()).containsExactly("z.weight", "a.count");
        assertThat(read.tensors().floats("z.weight", Shape.of(2, 3))).isEqualTo(BITS);
        assertThat(read.tensors().longs("a.count", Shape.of())).containsExactly(-5);
    }

    /// The layout in the format's description, byte by byte.
    @Test
    void writesTheFormat() throws IOException {
        var tensors = new Parameters(Map.of("w", new Tensor.Floats(Shape.of(1), new float[] {1})));
        byte[] bytes = bytes(new SafeTensors(Map.of("format", "pt"), tensors));

        String header =
                "{\"__metadata__\":{\"format\":\"pt\"},\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
        int padded = (header.length() + 7) / 8 * 8;
        assertThat(bytes)
                .hasSize(8 + padded + 4)
                .startsWith(padded, 0, 0, 0, 0, 0, 0, 0)
                .endsWith(0, 0, 0x80, 0x3f);
        assertThat(new String(bytes, 8, padded, StandardCharsets.UTF_8))
                .isEqualTo(header + " ".repeat(padded - header.length()));
    }

    @Test
    void refusesAFileThatEndsEarlyWhereverItEnds() throws IOException {
        byte[] whole = example();
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> SafeTensors.read(new ByteArrayInputStream(part)))
                    .as("the first %d of %d bytes", length, whole.length)
                    .isInstanceOf(CheckpointException.class);
        }
    }

    @Test
    void refusesBytesAfterTheEnd() throws IOException {
        byte[] longer = Arrays.copyOf(example(), example().length + 1);
        assertThatThrownBy(() -> SafeTensors.read(new ByteArrayInputStream(longer)))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining("after the last tensor");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        F16 | [1] | [0,2]  | the type "F16"
        F32 | [2] | [0,4]  | lies at [0,4]; expected is [0,8]
        F32 | [1] | [4,8]  | lies at [4,8]; expected is [0,4]
        """)
    void refusesUnreadableFiles(String type, String shape, String offsets, String message) {
        String header = "{\"w\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":%s}}".formatted(type, shape, offsets);
        byte[] file = new byte[8 + header.length() + 16];
        file[0] = (byte) header.length();
        System.arraycopy(header.getBytes(StandardCharsets.UTF_8), 0, file, 8, header.length());
        assertThatThrownBy(() -> SafeTensors.read(new ByteArrayInputStream(file)))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining("tensor w")
                .hasMessageContaining(message);
    }

    /// The header declares more than the heap can hold. This is reported even though the file also ends before
    /// the first tensor.
    @Test
    void refusesTensorsLargerThanTheHeapBeforeReading() {
        String header = """
                {"a":{"dtype":"F32","shape":[1000,1000],"data_offsets":[0,4000000]},
                 "b":{"dtype":"F32","shape":[1000,1000],"data_offsets":[4000000,8000000]}}""";
        byte[] file = withHeader(header);
        assertThatThrownBy(() -> SafeTensors.read(new ByteArrayInputStream(file), 11 << 20))
                .isInstanceOf(DeviceMemoryException.class)
                .hasMessageContainingAll("takes 11 MiB", "11 MiB at most", "-Xmx");
        assertThatThrownBy(() -> SafeTensors.read(new ByteArrayInputStream(file), 12 << 20))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining("ends inside tensor a");
    }

    /// The last entry is wrong, and the data of the first tensor is missing.
    @Test
    void refusesAHeaderBeforeATensorIsRead() {
        String header = """
                {"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
                 "b":{"dtype":"F16","shape":[2],"data_offsets":[8,12]}}""";
        assertThatThrownBy(() -> SafeTensors.read(new ByteArrayInputStream(withHeader(header))))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining("tensor b has the type \"F16\"");
    }

    @Test
    void refusesAHeaderThatIsTooLong() {
        byte[] file = ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(SafeTensors.MAX_HEADER_BYTES + 1L)
                .array();
        assertThatThrownBy(() -> SafeTensors.read(new ByteArrayInputStream(file)))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining("2 to 4194304 bytes");
    }

    private static byte[] withHeader(String header) {
        byte[] json = header.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(8 + json.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(json.length)
                .put(json)
                .array();
    }

    private static byte[] example() throws IOException {
        Map<String, Tensor> tensors = new LinkedHashMap<>();
        tensors.put("z.weight", new Tensor.Floats(Shape.of(2, 3), BITS));
        tensors.put("a.count", new Tensor.Longs(Shape.of(), new long[] {-5}));
        return bytes(new SafeTensors(Map.of("job", "a", "step", "7"), new Parameters(tensors)));
    }

    private static byte[] bytes(SafeTensors file) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        file.write(out);
        return out.toByteArray();
    }
}
