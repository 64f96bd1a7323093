package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// The vectors of these kernels: this processor's widest, but no more than the eight channels that every blocked
/// layout has side by side.
///
/// Loops over vectors have a method of their own: the compiler inlines only so much into one, and vectors that leave
/// a method become objects.
final class Lanes {
    static final VectorSpecies<Float> SPECIES =
            FloatVector.SPECIES_PREFERRED.length() < 8 ? FloatVector.SPECIES_128 : FloatVector.SPECIES_256;

    static final int COUNT = SPECIES.length();

    static final int BYTES = SPECIES.vectorByteSize();

    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    private Lanes() {}

    /// @throws IllegalArgumentException unless both have channels in vectors, as many
    static void requireSame(ImageLayout in, ImageLayout out) {
        if (!in.inVectors() || !out.inVectors() || in.lanes() != out.lanes()) {
            throw new IllegalArgumentException(
                    "images have %d channels side by side, what is made of them %d; both must be the same multiple of %d"
                            .formatted(in.lanes(), out.lanes(), COUNT));
        }
    }

    /// How many bytes of the values whole vectors cover, from the beginning on.
    static long wholeVectorBytes(MemorySegment values) {
        return values.byteSize() / BYTES * BYTES;
    }

    /// @param offset in bytes
    static FloatVector load(MemorySegment from, long offset) {
        return FloatVector.fromMemorySegment(SPECIES, from, offset, ORDER);
    }

    /// @param offset in bytes
    static void store(FloatVector vector, MemorySegment to, long offset) {
        vector.intoMemorySegment(to, offset, ORDER);
    }
}
