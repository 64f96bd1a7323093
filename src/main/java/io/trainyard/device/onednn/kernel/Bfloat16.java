package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/// bfloat16, the upper half of a float32, in native memory.
final class Bfloat16 {
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Short> SHORTS =
            VectorSpecies.of(short.class, VectorShape.forBitSize(INTS.vectorBitSize() / 2));
    private static final int LENGTH = INTS.length();
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    private static final int HALF = Short.SIZE;
    private static final int MAGNITUDE = 0x7fff_ffff;
    private static final int INFINITY = 0x7f80_0000;
    private static final int QUIET = 0x0040_0000; // a bit of NaN in the upper half
    private static final int BELOW_HALF = 0x7fff; // of the last kept bit

    private Bfloat16() {}

    static float get(MemorySegment values, long index) {
        return Float.intBitsToFloat(values.getAtIndex(ValueLayout.JAVA_SHORT, index) << HALF);
    }

    /// Rounds to nearest, ties to even; NaN stays NaN.
    static short rounded(float value) {
        int bits = Float.floatToRawIntBits(value);
        int rounded = Float.isNaN(value) ? bits | QUIET : bits + BELOW_HALF + (bits >>> HALF & 1);
        return (short) (rounded >>> HALF);
    }

    /// Widens `length` values from index `first` on to float32, to the start of `to`.
    static void widen(MemorySegment from, long first, MemorySegment to, long length) {
        long whole = length / LENGTH * LENGTH;
        widenVectors(from, first, to, whole);
        for (long i = whole; i < length; i++) {
            to.setAtIndex(ValueLayout.JAVA_FLOAT, i, get(from, first + i));
        }
    }

    private static void widenVectors(MemorySegment from, long first, MemorySegment to, long whole) {
        for (long i = 0; i < whole; i += LENGTH) {
            ShortVector upper = ShortVector.fromMemorySegment(SHORTS, from, (first + i) * Short.BYTES, ORDER);
            IntVector bits = (IntVector) upper.convertShape(VectorOperators.ZERO_EXTEND_S2I, INTS, 0);
            bits.lanewise(VectorOperators.LSHL, HALF).intoMemorySegment(to, i * Float.BYTES, ORDER);
        }
    }

    /// Writes the first `length` float32 values, [#rounded], to `to` from index `first` on.
    static void narrow(MemorySegment from, MemorySegment to, long first, long length) {
        long whole = length / LENGTH * LENGTH;
        narrowVectors(from, to, first, whole);
        for (long i = whole; i < length; i++) {
            to.setAtIndex(ValueLayout.JAVA_SHORT, first + i, rounded(from.getAtIndex(ValueLayout.JAVA_FLOAT, i)));
        }
    }

    private static void narrowVectors(MemorySegment from, MemorySegment to, long first, long whole) {
        for (long i = 0; i < whole; i += LENGTH) {
            IntVector bits = IntVector.fromMemorySegment(INTS, from, i * Float.BYTES, ORDER);
            VectorMask<Integer> nan = bits.and(MAGNITUDE).compare(VectorOperators.GT, INFINITY);
            IntVector rounded =
                    bits.lanewise(VectorOperators.LSHR, HALF).and(1).add(bits).add(BELOW_HALF);
            IntVector upper = rounded.blend(bits.or(QUIET), nan).lanewise(VectorOperators.LSHR, HALF);
            ((ShortVector) upper.convertShape(VectorOperators.I2S, SHORTS, 0))
                    .intoMemorySegment(to, (first + i) * Short.BYTES, ORDER);
        }
    }
}
