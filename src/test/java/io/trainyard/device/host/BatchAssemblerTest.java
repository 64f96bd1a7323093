package io.trainyard.device.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What it writes is the table of [PixelScale], bit for bit.
class BatchAssemblerTest {
    private static final List<Normalize> NORMALIZES = List.of(
            new Normalize(List.of(0.4914, 0.4822, 0.4465), List.of(0.2470, 0.2435, 0.2616)),
            new Normalize(List.of(0.5, 0.0, -3.0), List.of(0.5, 1.0, 1e-6)),
            new Normalize(List.of(0.2860, 1e6 - 1, 1.0 / 3), List.of(0.3530, 1e6 - 1, 255.0)));

    /// 3 channels of all 256 bytes.
    @Test
    void everyByteOfEveryChannelIsTheTables() {
        Dataset dataset = dataset(Shape.of(3, 16, 16), 1);
        for (int i = 0; i < 3 * 256; i++) {
            memory(dataset).set(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
        requireTable(dataset, PixelScale.of(3, null), new int[] {0});
        NORMALIZES.forEach(normalize -> requireTable(dataset, PixelScale.of(3, normalize), new int[] {0}));
    }

    /// Areas below, at and above a vector's lanes, and samples in any order, twice too.
    @ParameterizedTest
    @CsvSource({"1, 1, 1", "1, 1, 7", "2, 3, 5", "3, 4, 4", "1, 1, 17", "3, 7, 9", "2, 8, 8", "1, 28, 28", "3, 5, 13"})
    void everyShapeAndOrderIsTheTables(int channels, int rows, int columns) {
        Dataset dataset = dataset(Shape.of(channels, rows, columns), 9);
        byte[] pixels = new byte[(int) memory(dataset).byteSize()];
        new Random(channels * 100L + rows).nextBytes(pixels);
        memory(dataset).copyFrom(MemorySegment.ofArray(pixels));
        int[] order = {3, 0, 8, 8, 1};
        requireTable(dataset, PixelScale.of(channels, null), order);
        for (Normalize normalize : NORMALIZES) {
            Normalize first = new Normalize(
                    normalize.mean().subList(0, channels), normalize.std().subList(0, channels));
            requireTable(dataset, PixelScale.of(channels, first), order);
        }
    }

    @Test
    void writesNothingBehindTheBatch() {
        Dataset dataset = dataset(Shape.of(1, 3, 3), 4);
        float[] target = new float[30];
        new BatchAssembler(dataset, PixelScale.of(1, new Normalize(List.of(1.0), List.of(1.0))))
                .assemble(dataset.train(), new int[] {9, 0, 1, 2}, 1, 3, List.of(), MemorySegment.ofArray(target));
        for (int i = 0; i < target.length; i++) {
            assertThat(target[i]).as("value %d", i).isEqualTo(i < 27 ? -1f : 0f);
        }
    }

    private static MemorySegment memory(Dataset dataset) {
        return dataset.train().samples().memory();
    }

    private static Dataset dataset(Shape shape, int samples) {
        Dataset.Split split = new Dataset.Split(new byte[samples * shape.elements()], new byte[samples]);
        return new Dataset("bytes", shape, 1, split, split);
    }

    /// In native memory and on the heap, from the second entry of `order` on.
    private static void requireTable(Dataset dataset, PixelScale scale, int[] order) {
        int elements = dataset.shape().elements();
        float[] heap = new float[order.length * elements];
        int[] later = new int[order.length + 1];
        System.arraycopy(order, 0, later, 1, order.length);
        BatchAssembler assembler = new BatchAssembler(dataset, scale);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate((long) heap.length * Float.BYTES, 64);
            assembler.assemble(dataset.train(), later, 1, order.length, List.of(), memory);
            assembler.assemble(dataset.train(), later, 1, order.length, List.of(), MemorySegment.ofArray(heap));
            float[] expected = table(dataset, scale, order);
            for (int i = 0; i < expected.length; i++) {
                assertThat(Float.floatToRawIntBits(heap[i]))
                        .as("value %d on the heap: %s, in the table %s", i, heap[i], expected[i])
                        .isEqualTo(Float.floatToRawIntBits(expected[i]));
            }
            assertThat(memory.mismatch(MemorySegment.ofArray(heap))).isEqualTo(-1);
            assertThat(memory.getAtIndex(ValueLayout.JAVA_FLOAT, 0)).isEqualTo(expected[0]);
        }
    }

    private static float[] table(Dataset dataset, PixelScale scale, int[] order) {
        int elements = dataset.shape().elements();
        int area = elements / dataset.shape().size(0);
        float[] values = new float[order.length * elements];
        for (int i = 0; i < values.length; i++) {
            int pixel = order[i / elements] * elements + i % elements;
            values[i] = scale.channel(i % elements / area)[
                    Byte.toUnsignedInt(memory(dataset).get(ValueLayout.JAVA_BYTE, pixel))];
        }
        return values;
    }
}
