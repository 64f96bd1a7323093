package io.trainyard.data;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// The samples of one part of a data set, one behind another, each as its data set's shape says, outermost
/// dimension first. The memory may be a Java array, or a file that is mapped, and larger than 2 GiB: places in it are
/// `long`. Nobody writes to it.
public sealed interface Samples {
    MemorySegment memory();

    int valueBytes();

    /// The values from `first` on, as many as `count` says, without copying them.
    Samples slice(long first, long count);

    default long values() {
        return memory().byteSize() / valueBytes();
    }

    /// Unsigned bytes, which a network takes as `byte / 255`: images, the way they were published.
    record Pixels(MemorySegment memory) implements Samples {
        public static Pixels of(byte[] pixels) {
            return new Pixels(MemorySegment.ofArray(pixels));
        }

        @Override
        public int valueBytes() {
            return Byte.BYTES;
        }

        /// Fills `target` with the values from `first` on.
        public void read(long first, byte[] target) {
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, first, target, 0, target.length);
        }

        @Override
        public Pixels slice(long first, long count) {
            return new Pixels(memory.asSlice(first, count));
        }
    }

    /// float32, little-endian, which a network takes as they are: numbers, or images that somebody has scaled.
    record Values(MemorySegment memory) implements Samples {
        /// A value may begin anywhere, as it does behind a file's header.
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

        /// Fills `target` with the values from `first` on.
        public void read(long first, float[] target) {
            MemorySegment.copy(memory, LAYOUT, first * Float.BYTES, target, 0, target.length);
        }

        @Override
        public Values slice(long first, long count) {
            return new Values(memory.asSlice(first * Float.BYTES, count * Float.BYTES));
        }
    }
}
