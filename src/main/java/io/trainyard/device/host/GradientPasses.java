package io.trainyard.device.host;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;

/// The element-wise passes of [GradientUpdate] over arrays and native float32 memory. The JVM vectorizes these loops
/// itself.
final class GradientPasses {
    private GradientPasses() {}

    /// sum += share more
    static void accumulate(float[] sum, float[] more, float share, int from, int to) {
        for (int i = from; i < to; i++) {
            sum[i] += more[i] * share;
        }
    }

    static void accumulate(MemorySegment sum, MemorySegment more, float share, long end) {
        for (long i = 0; i < end; i += Float.BYTES) {
            sum.set(JAVA_FLOAT, i, sum.get(JAVA_FLOAT, i) + more.get(JAVA_FLOAT, i) * share);
        }
    }

    static double squares(float[] values, int from, int to) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += (double) values[i] * values[i];
        }
        return sum;
    }

    static double squares(MemorySegment values, long end) {
        double sum = 0;
        for (long i = 0; i < end; i += Float.BYTES) {
            double value = values.get(JAVA_FLOAT, i);
            sum += value * value;
        }
        return sum;
    }

    /// NaN is kept.
    private static float clamped(float value, float limit) {
        return Math.max(-limit, Math.min(limit, value));
    }

    static void clamp(float[] values, float limit, int from, int to) {
        for (int i = from; i < to; i++) {
            values[i] = clamped(values[i], limit);
        }
    }

    static void clamp(MemorySegment values, float limit, long end) {
        for (long i = 0; i < end; i += Float.BYTES) {
            values.set(JAVA_FLOAT, i, clamped(values.get(JAVA_FLOAT, i), limit));
        }
    }

    static void scale(float[] values, float factor, int from, int to) {
        for (int i = from; i < to; i++) {
            values[i] *= factor;
        }
    }

    static void scale(MemorySegment values, float factor, long end) {
        for (long i = 0; i < end; i += Float.BYTES) {
            values.set(JAVA_FLOAT, i, values.get(JAVA_FLOAT, i) * factor);
        }
    }

    /// averages = keep averages + take values
    static void average(float[] averages, float keep, float[] values, float take, int from, int to) {
        for (int i = from; i < to; i++) {
            averages[i] = keep * averages[i] + take * values[i];
        }
    }

    static void average(MemorySegment averages, float keep, MemorySegment values, float take, long end) {
        for (long i = 0; i < end; i += Float.BYTES) {
            averages.set(JAVA_FLOAT, i, keep * averages.get(JAVA_FLOAT, i) + take * values.get(JAVA_FLOAT, i));
        }
    }
}
