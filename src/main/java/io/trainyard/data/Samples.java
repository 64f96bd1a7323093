package io.trainyard.data;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// The samples of one part of a dataset, contiguous, each in the shape of the dataset, outermost dimension first.
/// The memory may be a Java array or a mapped file, and may exceed 2 GiB: indices are `long`. It is read-only.
public sealed interface Samples {
    MemorySegment memory();

    int valueBytes();

    /// A view of `count` values from `first` on.
    Samples slice(long first, long count);

    default long values() {
        return memory().byteSize() / valueBytes();
    }

    /// Unsigned bytes, such as published images; the network input is `byte / 255`.
    record Pixels(MemorySegment memory) implements Samples {
        public static Pixels of(byte[] pixels) {
            return new Pixels(MemorySegment.ofArray(pixels));
        }

        @Override
        public int valueBytes() {
            return Byte.BYTES;
        }

        public void read(long first, byte[] target) {
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, first, target, 0, target.length);
        }

        @Override
        public Pixels slice(long first, long count) {
            return new Pixels(memory.asSlice(first, count));
        }
    }

    /// float32, little-endian, the network input as it is: numbers, or scaled images.
    record Values(MemorySegment memory) implements Samples {
        /// Unaligned, because values may follow a file header of any length.
        public static final ValueLayout.OfFloat LAYOUT =
                ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

        public static Values of(float[] values) {
            MemorySegment memory = MemorySegment.ofArray(new byte[Math.multiplyExact(values.length, Float.BYTES)]);
            MemorySegment.copy(values, 0, memory, LAYOUT, 0, values.length);
            return new Values(memory);
        }

        @Override
        public int valueBytes() {
            return Float.BYTES;
        }

        public void read(long first, float[] target) {
            MemorySegment.copy(memory, LAYOUT, first * Float.BYTES, target, 0, target.length);
        }

        @Override
        public Values slice(long first, long count) {
            return new Values(memory.asSlice(first * Float.BYTES, count * Float.BYTES));
        }
    }
}
