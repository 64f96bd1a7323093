package io.trainyard.device.onednn.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Rounding in vectors and in the scalar tail.
class Bfloat16RoundingTest {
    private final Arena arena = Arena.ofShared();

    @AfterEach
    void free() {
        arena.close();
    }

    /// Two values lie halfway, one below and one above the even neighbour.
    @ParameterizedTest
    @CsvSource({
        "0x1p0, 0x3f80",
        "-0x1p0, 0xbf80",
        "0x1.01p0, 0x3f80",
        "0x1.010002p0, 0x3f81",
        "0x1.03p0, 0x3f82",
        "0x1.fffffep127, 0x7f80",
        "Infinity, 0x7f80",
        "-Infinity, 0xff80",
        "-0x0p0, 0x8000",
        "0x1p-149, 0x0000"
    })
    void aFloatIsRoundedToTheNearest(String value, String expected) {
        float[] values = new float[37]; // vectors and a tail
        Arrays.fill(values, Float.parseFloat(value));
        assertThat(narrowed(floats(values), 37))
                .containsOnly(Integer.decode(expected).shortValue());
    }

    /// Truncation would turn one into infinity, and rounding would overflow the other.
    @Test
    void keepsNaN() {
        float[] values = new float[37];
        for (int i = 0; i < values.length; i++) {
            values[i] = Float.intBitsToFloat(i % 2 == 0 ? 0x7f80_0001 : 0xffff_ffff);
        }
        MemorySegment widened = widened(shorts(narrowed(floats(values), 37)), 37);
        for (int i = 0; i < values.length; i++) {
            assertThat(widened.getAtIndex(ValueLayout.JAVA_FLOAT, i)).isNaN();
        }
    }

    private MemorySegment floats(float[] values) {
        return arena.allocateFrom(ValueLayout.JAVA_FLOAT, values);
    }

    private MemorySegment shorts(short[] values) {
        return arena.allocateFrom(ValueLayout.JAVA_SHORT, values);
    }

    private MemorySegment widened(MemorySegment values, int size) {
        MemorySegment floats = floats(new float[size]);
        Bfloat16.widen(values, 0, floats, size);
        return floats;
    }

    /// Writes after one element that must not change.
    private short[] narrowed(MemorySegment floats, int size) {
        MemorySegment values = shorts(new short[size + 1]);
        Bfloat16.narrow(floats, values, 1, size);
        assertThat(values.getAtIndex(ValueLayout.JAVA_SHORT, 0)).isZero();
        return values.asSlice(Short.BYTES).toArray(ValueLayout.JAVA_SHORT);
    }
}
