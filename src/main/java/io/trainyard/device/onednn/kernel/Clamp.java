package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/// x clamped to a range. NaN is kept, and its gradient passes, as in PyTorch but not in oneDNN. If 0 is outside the
/// range, the padding of blocked layouts would change.
public record Clamp(float min, float max) implements ValueFunction {
    /// Whether 0 is mapped to 0.
    public boolean keepsZero() {
        return min <= 0 && max >= 0;
    }

    @Override
    public void forward(MemorySegment x, MemorySegment y) {
        long end = Lanes.wholeVectorBytes(x);
        forwardVectors(x, y, end, this);
        for (long i = end; i < x.byteSize(); i += Float.BYTES) {
            y.set(ValueLayout.JAVA_FLOAT, i, Math.clamp(x.get(ValueLayout.JAVA_FLOAT, i), min, max));
        }
    }

    private static void forwardVectors(MemorySegment x, MemorySegment y, long end, Clamp bounds) {
        for (long i = 0; i < end; i += Lanes.BYTES) {
            Lanes.store(Lanes.load(x, i).max(bounds.min).min(bounds.max), y, i);
        }
    }

    /// The gradient is 0 at and beyond the bounds, even if it is not finite.
    @Override
    public void backward(MemorySegment x, MemorySegment gradient, MemorySegment to) {
        long end = Lanes.wholeVectorBytes(x);
        backwardVectors(x, gradient, to, end, this);
        for (long i = end; i < x.byteSize(); i += Float.BYTES) {
            float value = x.get(ValueLayout.JAVA_FLOAT, i);
            float dy = gradient.get(ValueLayout.JAVA_FLOAT, i);
            to.set(ValueLayout.JAVA_FLOAT, i, value <= min || value >= max ? 0 : dy);
        }
    }

    private static void backwardVectors(
            MemorySegment x, MemorySegment gradient, MemorySegment to, long end, Clamp bounds) {
        FloatVector zero = FloatVector.zero(Lanes.SPECIES);
        for (long i = 0; i < end; i += Lanes.BYTES) {
            FloatVector value = Lanes.load(x, i);
            VectorMask<Float> beyond =
                    value.compare(VectorOperators.LE, bounds.min).or(value.compare(VectorOperators.GE, bounds.max));
            Lanes.store(Lanes.load(gradient, i).blend(zero, beyond), to, i);
        }
    }
}
