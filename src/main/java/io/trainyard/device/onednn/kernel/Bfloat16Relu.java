package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// [Relu] of bfloat16 on its bits: as an integer, a value compares with 0 like the number itself, except for NaN.
final class Bfloat16Relu {
    private static final VectorSpecies<Short> SPECIES = ShortVector.SPECIES_PREFERRED;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();
    private static final short MAGNITUDE = 0x7fff;
    private static final short INFINITY = 0x7f80;

    private Bfloat16Relu() {}

    /// Forward, `given` is `values`; backward, `values` is the output and `given` its gradient.
    ///
    /// @param to 0 at values of at most 0, `given` elsewhere; may be any of the other segments
    static void apply(MemorySegment values, MemorySegment given, MemorySegment to) {
        long end = values.byteSize() / SPECIES.vectorByteSize() * SPECIES.vectorByteSize();
        applyVectors(values, given, to, end);
        for (long i = end; i < values.byteSize(); i += Short.BYTES) {
            short x = values.get(ValueLayout.JAVA_SHORT, i);
            boolean ends = x <= 0 && (x & MAGNITUDE) <= INFINITY;
            to.set(ValueLayout.JAVA_SHORT, i, ends ? 0 : given.get(ValueLayout.JAVA_SHORT, i));
        }
    }

    private static void applyVectors(MemorySegment values, MemorySegment given, MemorySegment to, long end) {
        ShortVector zero = ShortVector.zero(SPECIES);
        for (long i = 0; i < end; i += SPECIES.vectorByteSize()) {
            ShortVector x = ShortVector.fromMemorySegment(SPECIES, values, i, ORDER);
            VectorMask<Short> number = x.and(MAGNITUDE).compare(VectorOperators.LE, INFINITY);
            VectorMask<Short> ends = x.compare(VectorOperators.LE, (short) 0).and(number);
            ShortVector.fromMemorySegment(SPECIES, given, i, ORDER)
                    .blend(zero, ends)
                    .intoMemorySegment(to, i, ORDER);
        }
    }
}
