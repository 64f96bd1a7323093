package io.trainyard.device.host;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// Float32 in memory segments, a vector at a time; offsets are in bytes. What is left at the end goes one by one.
final class Lanes {
    private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    /// Bytes of one vector.
    static final int BYTES = SPECIES.vectorByteSize();

    private Lanes() {}

    /// Where the vectors end and the single values begin.
    static long end(MemorySegment values) {
        return values.byteSize() / BYTES * BYTES;
    }

    static FloatVector load(MemorySegment from, long offset) {
        return FloatVector.fromMemorySegment(SPECIES, from, offset, ORDER);
    }

    static void store(FloatVector vector, MemorySegment to, long offset) {
        vector.intoMemorySegment(to, offset, ORDER);
    }

    static FloatVector all(float value) {
        return FloatVector.broadcast(SPECIES, value);
    }

    static float get(MemorySegment from, long offset) {
        return from.get(ValueLayout.JAVA_FLOAT_UNALIGNED, offset);
    }

    static void set(MemorySegment to, long offset, float value) {
        to.set(ValueLayout.JAVA_FLOAT_UNALIGNED, offset, value);
    }
}
