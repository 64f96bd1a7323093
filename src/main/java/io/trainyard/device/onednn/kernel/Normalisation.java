package io.trainyard.device.onednn.kernel;

import static io.trainyard.device.onednn.kernel.VectorRuns.LENGTH;
import static io.trainyard.device.onednn.kernel.VectorRuns.load;
import static io.trainyard.device.onednn.kernel.VectorRuns.store;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import org.jspecify.annotations.Nullable;

/// y = (x - center) factor + shift, with separate values for each channel, then optionally the addition of another
/// tensor, and a ReLU that keeps NaN. The input may be overwritten.
///
/// The center is the mean as float32, because the difference of two close numbers is exact; the shift includes the
/// rounding error of the mean.
public final class Normalisation {
    private final VectorRuns runs;
    private final boolean relu;
    private final float[] centers; // tables
    private final float[] factors;
    private final float[] shifts;

    /// @param relu whether a ReLU follows
    public Normalisation(ImageLayout layout, ValueType type, boolean relu) {
        this.relu = relu;
        runs = new VectorRuns(layout, type, 2);
        centers = new float[runs.places()];
        factors = new float[runs.places()];
        shifts = new float[runs.places()];
    }

    /// Sets one of each for every channel, rounded to float32 here.
    public void set(double[] channelCenters, double[] channelFactors, double[] channelShifts) {
        runs.spread(channelCenters, centers);
        runs.spread(channelFactors, factors);
        runs.spread(channelShifts, shifts);
    }

    /// @param addend in the same layout; may be null
    public void compute(MemorySegment x, @Nullable MemorySegment addend, MemorySegment y) {
        runs.forEachPiece((first, length, table) -> {
            MemorySegment from = runs.read(0, x, first, length);
            MemorySegment added = addend == null ? null : runs.read(1, addend, first, length);
            computePiece(from, added, runs.target(0, y), runs.at(first), length, table);
            runs.wrote(0, y, first, length);
        });
    }

    private void computePiece(
            MemorySegment x, @Nullable MemorySegment addend, MemorySegment y, long begin, long length, int table) {
        int period = runs.period();
        long last = begin + length - LENGTH;
        for (int place = 0; place < period; place += LENGTH) {
            int at = table + place;
            if (addend != null) {
                if (relu) {
                    reluOfSumVectors(x, addend, y, begin + place, last, period, at);
                } else {
                    sumVectors(x, addend, y, begin + place, last, period, at);
                }
            } else if (relu) {
                reluVectors(x, y, begin + place, last, period, at);
            } else {
                plainVectors(x, y, begin + place, last, period, at);
            }
        }
        rest(x, addend, y, begin, length, table);
    }

    private void plainVectors(MemorySegment x, MemorySegment y, long first, long last, int step, int at) {
        FloatVector center = FloatVector.fromArray(VectorRuns.FLOATS, centers, at);
        FloatVector factor = FloatVector.fromArray(VectorRuns.FLOATS, factors, at);
        FloatVector shift = FloatVector.fromArray(VectorRuns.FLOATS, shifts, at);
        for (long i = first; i <= last; i += step) {
            store(load(x, i).sub(center).fma(factor, shift), y, i);
        }
    }

    private void reluVectors(MemorySegment x, MemorySegment y, long first, long last, int step, int at) {
        FloatVector center = FloatVector.fromArray(VectorRuns.FLOATS, centers, at);
        FloatVector factor = FloatVector.fromArray(VectorRuns.FLOATS, factors, at);
        FloatVector shift = FloatVector.fromArray(VectorRuns.FLOATS, shifts, at);
        for (long i = first; i <= last; i += step) {
            store(relu(load(x, i).sub(center).fma(factor, shift)), y, i);
        }
    }

    private void sumVectors(
            MemorySegment x, MemorySegment addend, MemorySegment y, long first, long last, int step, int at) {
        FloatVector center = FloatVector.fromArray(VectorRuns.FLOATS, centers, at);
        FloatVector factor = FloatVector.fromArray(VectorRuns.FLOATS, factors, at);
        FloatVector shift = FloatVector.fromArray(VectorRuns.FLOATS, shifts, at);
        for (long i = first; i <= last; i += step) {
            store(load(x, i).sub(center).fma(factor, shift).add(load(addend, i)), y, i);
        }
    }

    private void reluOfSumVectors(
            MemorySegment x, MemorySegment addend, MemorySegment y, long first, long last, int step, int at) {
        FloatVector center = FloatVector.fromArray(VectorRuns.FLOATS, centers, at);
        FloatVector factor = FloatVector.fromArray(VectorRuns.FLOATS, factors, at);
        FloatVector shift = FloatVector.fromArray(VectorRuns.FLOATS, shifts, at);
        for (long i = first; i <= last; i += step) {
            store(relu(load(x, i).sub(center).fma(factor, shift).add(load(addend, i))), y, i);
        }
    }

    private static FloatVector relu(FloatVector v) {
        return v.blend(0f, v.compare(VectorOperators.LE, 0f));
    }

    private void rest(
            MemorySegment x, @Nullable MemorySegment addend, MemorySegment y, long begin, long length, int table) {
        for (long i = length / LENGTH * LENGTH; i < length; i++) {
            int place = table + (int) (i % runs.period());
            float value = Math.fma(
                    x.getAtIndex(ValueLayout.JAVA_FLOAT, begin + i) - centers[place], factors[place], shifts[place]);
            if (addend != null) {
                value += addend.getAtIndex(ValueLayout.JAVA_FLOAT, begin + i);
            }
            y.setAtIndex(ValueLayout.JAVA_FLOAT, begin + i, relu && value <= 0 ? 0 : value);
        }
    }
}
