package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/// Corrects the results of an operation for values above a bound. All segments are native memory of the same size
/// and layout. The bound is at least 0, the value of the padding in blocked layouts.
public final class BoundCorrection {
    private BoundCorrection() {}

    /// Copies `from` to `to` at the elements of `x` above the bound.
    public static void copy(MemorySegment x, float bound, MemorySegment from, MemorySegment to) {
        long end = Lanes.wholeVectorBytes(x);
        copyVectors(x, bound, from, to, end);
        for (long i = end; i < x.byteSize(); i += Float.BYTES) {
            if (x.get(ValueLayout.JAVA_FLOAT, i) > bound) {
                to.set(ValueLayout.JAVA_FLOAT, i, from.get(ValueLayout.JAVA_FLOAT, i));
            }
        }
    }

    private static void copyVectors(MemorySegment x, float bound, MemorySegment from, MemorySegment to, long end) {
        for (long i = 0; i < end; i += Lanes.BYTES) {
            FloatVector made = Lanes.load(to, i);
            Lanes.store(made.blend(Lanes.load(from, i), Lanes.load(x, i).compare(VectorOperators.GT, bound)), to, i);
        }
    }
}
