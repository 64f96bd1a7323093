package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// The vectors of these kernels: the CPU's widest, up to eight floats, because every blocked layout has blocks of
/// at least eight channels.
///
/// Vector loops are in separate methods, because the compiler's inlining is limited for each method, and vectors
/// that escape a method become objects.
final class Lanes {
    static final VectorSpecies<Float> SPECIES =
            FloatVector.SPECIES_PREFERRED.length() < 8 ? FloatVector.SPECIES_128 : FloatVector.SPECIES_256;

    static final int COUNT = SPECIES.length();

    static final int BYTES = SPECIES.vectorByteSize();

    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    private Lanes() {}

    /// @throws IllegalArgumentException unless both have blocked channels of the same size
    static void requireSame(ImageLayout in, ImageLayout out) {
        if (!in.inVectors() || !out.inVectors() || in.lanes() != out.lanes()) {
            throw new IllegalArgumentException(
                    "images have blocks of %d channels, the output has blocks of %d; both must be the same multiple of %d"
                            .formatted(in.lanes(), out.lanes(), COUNT));
        }
    }

    /// Number of leading bytes that whole vectors cover.
    static long wholeVectorBytes(MemorySegment values) {
        return values.byteSize() / BYTES * BYTES;
    }

    static FloatVector load(MemorySegment from, long offset) {
        return FloatVector.fromMemorySegment(SPECIES, from, offset, ORDER);
    }

    static void store(FloatVector vector, MemorySegment to, long offset) {
        vector.intoMemorySegment(to, offset, ORDER);
    }
}
