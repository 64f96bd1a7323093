package io.trainyard.device.host;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Adds the gradients of several threads.
public final class GradientSum {
    private GradientSum() {}

    public static void add(float[] sum, float[] more, int from, int to) {
        for (int i = from; i < to; i++) {
            sum[i] += more[i];
        }
    }

    public static void add(MemorySegment sum, MemorySegment more) {
        long end = sum.byteSize() / ParameterUpdate.BYTES * ParameterUpdate.BYTES;
        addVectors(sum, more, end);
        for (long i = end; i < sum.byteSize(); i += Float.BYTES) {
            float value = sum.get(ValueLayout.JAVA_FLOAT, i) + more.get(ValueLayout.JAVA_FLOAT, i);
            sum.set(ValueLayout.JAVA_FLOAT, i, value);
        }
    }

    private static void addVectors(MemorySegment sum, MemorySegment more, long end) {
        for (long i = 0; i < end; i += ParameterUpdate.BYTES) {
            ParameterUpdate.store(ParameterUpdate.load(sum, i).add(ParameterUpdate.load(more, i)), sum, i);
        }
    }
}
