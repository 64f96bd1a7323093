package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/// Restores NaN after an operation that replaces it by numbers.
public final class NanPropagation {
    private NanPropagation() {}

    /// Sets each value of `to` to NaN at NaN values of `from`. Both are native memory of the same size and layout.
    public static void keep(MemorySegment from, MemorySegment to) {
        long end = Lanes.wholeVectorBytes(from);
        keepVectors(from, to, end);
        for (long i = end; i < from.byteSize(); i += Float.BYTES) {
            float x = from.get(ValueLayout.JAVA_FLOAT, i);
            if (Float.isNaN(x)) {
                to.set(ValueLayout.JAVA_FLOAT, i, x);
            }
        }
    }

    private static void keepVectors(MemorySegment from, MemorySegment to, long end) {
        for (long i = 0; i < end; i += Lanes.BYTES) {
            FloatVector x = Lanes.load(from, i);
            Lanes.store(Lanes.load(to, i).blend(x, x.test(VectorOperators.IS_NAN)), to, i);
        }
    }
}
