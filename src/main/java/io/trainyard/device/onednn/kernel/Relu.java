package io.trainyard.device.onednn.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;

/// max(0, x), where what is not a number stays so, as in PyTorch: oneDNN makes it 0, and a job that has diverged would
/// go on as if it had not.
///
/// All segments are native memory of the same size and layout. The padding of blocked layouts is 0 and stays so.
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

    /// Where the output is not above 0 the gradient ends, whatever it is; where the output is not a number it passes.
    ///
    /// @param output of [#forward]
    /// @param gradient of the output
    /// @param to where the input's goes; may be `gradient`
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
