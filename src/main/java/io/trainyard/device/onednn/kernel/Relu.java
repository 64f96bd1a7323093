package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/// max(0, x) that keeps NaN, as in PyTorch: oneDNN maps it to 0, which would hide that a job has diverged.
///
/// All segments are native memory of the same size and layout. The padding of blocked layouts is 0 and stays 0.
public final class Relu {
    private Relu() {}

    /// @param to may be `from`
    public static void forward(ValueType type, MemorySegment from, MemorySegment to) {
        switch (type) {
            case FLOAT32 -> forward(from, to);
            case BFLOAT16 -> Bfloat16Relu.apply(from, from, to);
        }
    }

    private static void forward(MemorySegment from, MemorySegment to) {
        long end = Lanes.wholeVectorBytes(from);
        forwardVectors(from, to, end);
        for (long i = end; i < from.byteSize(); i += Float.BYTES) {
            float x = from.get(ValueLayout.JAVA_FLOAT, i);
            to.set(ValueLayout.JAVA_FLOAT, i, x <= 0 ? 0 : x);
        }
    }

    private static void forwardVectors(MemorySegment from, MemorySegment to, long end) {
        FloatVector zero = FloatVector.zero(Lanes.SPECIES);
        for (long i = 0; i < end; i += Lanes.BYTES) {
            FloatVector x = Lanes.load(from, i);
            Lanes.store(x.blend(zero, x.compare(VectorOperators.LE, zero)), to, i);
        }
    }

    /// The gradient is 0 where the output is not above 0, even if the gradient is not finite; it passes where the
    /// output is NaN.
    ///
    /// @param output of [#forward]
    /// @param gradient of the output
    /// @param to receives the gradient of the input; may be `gradient`
    public static void backward(ValueType type, MemorySegment output, MemorySegment gradient, MemorySegment to) {
        switch (type) {
            case FLOAT32 -> backward(output, gradient, to);
            case BFLOAT16 -> Bfloat16Relu.apply(output, gradient, to);
        }
    }

    private static void backward(MemorySegment output, MemorySegment gradient, MemorySegment to) {
        long end = Lanes.wholeVectorBytes(output);
        backwardVectors(output, gradient, to, end);
        for (long i = end; i < output.byteSize(); i += Float.BYTES) {
            float y = output.get(ValueLayout.JAVA_FLOAT, i);
            to.set(ValueLayout.JAVA_FLOAT, i, y <= 0 ? 0 : gradient.get(ValueLayout.JAVA_FLOAT, i));
        }
    }

    private static void backwardVectors(MemorySegment output, MemorySegment gradient, MemorySegment to, long end) {
        FloatVector zero = FloatVector.zero(Lanes.SPECIES);
        for (long i = 0; i < end; i += Lanes.BYTES) {
            FloatVector y = Lanes.load(output, i);
            Lanes.store(Lanes.load(gradient, i).blend(zero, y.compare(VectorOperators.LE, zero)), to, i);
        }
    }
}
