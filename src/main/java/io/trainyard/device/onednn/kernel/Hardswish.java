package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/// x min(max(x + 3, 0), 6) / 6. NaN is kept, and its gradient passes, as in PyTorch but not in oneDNN. The padding
/// of blocked layouts is 0 and stays 0.
public final class Hardswish implements ValueFunction {
    private static final float REACH = 3;
    private static final float WIDTH = 2 * REACH;

    @Override
    public void forward(MemorySegment x, MemorySegment y) {
        long end = Lanes.wholeVectorBytes(x);
        forwardVectors(x, y, end);
        for (long i = end; i < x.byteSize(); i += Float.BYTES) {
            float value = x.get(ValueLayout.JAVA_FLOAT, i);
            y.set(ValueLayout.JAVA_FLOAT, i, value * Math.clamp(value + REACH, 0, WIDTH) / WIDTH);
        }
    }

    private static void forwardVectors(MemorySegment x, MemorySegment y, long end) {
        for (long i = 0; i < end; i += Lanes.BYTES) {
            FloatVector value = Lanes.load(x, i);
            FloatVector factor = value.add(REACH).max(0).min(WIDTH);
            Lanes.store(value.mul(factor).div(WIDTH), y, i);
        }
    }

    /// Below -3 the gradient is 0, even if it is not finite.
    @Override
    public void backward(MemorySegment x, MemorySegment gradient, MemorySegment to) {
        long end = Lanes.wholeVectorBytes(x);
        backwardVectors(x, gradient, to, end);
        for (long i = end; i < x.byteSize(); i += Float.BYTES) {
            float value = x.get(ValueLayout.JAVA_FLOAT, i);
            float dy = gradient.get(ValueLayout.JAVA_FLOAT, i);
            float dx = value <= -REACH ? 0 : value < REACH ? dy * (value / REACH + 0.5f) : dy;
            to.set(ValueLayout.JAVA_FLOAT, i, dx);
        }
    }

    private static void backwardVectors(MemorySegment x, MemorySegment gradient, MemorySegment to, long end) {
        FloatVector zero = FloatVector.zero(Lanes.SPECIES);
        for (long i = 0; i < end; i += Lanes.BYTES) {
            FloatVector value = Lanes.load(x, i);
            FloatVector dy = Lanes.load(gradient, i);
            VectorMask<Float> below = value.compare(VectorOperators.LE, -REACH);
            VectorMask<Float> onSlope = value.compare(VectorOperators.LT, REACH);
            FloatVector sloped = dy.mul(value.div(REACH).add(0.5f));
            Lanes.store(dy.blend(sloped, onSlope).blend(zero, below), to, i);
        }
    }
}
