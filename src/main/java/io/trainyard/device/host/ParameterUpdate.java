package io.trainyard.device.host;

import io.trainyard.device.AdamFactors;
import io.trainyard.spec.OptimizerSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// What an optimizer does to the parameters in one step, in float32 with PyTorch's operations in PyTorch's
/// order.
///
/// Each element is computed by itself and always with the same operations: the bits depend neither on how wide
/// the machine's vectors are nor on how a parameter is cut into pieces. The padding of blocked layouts may be
/// among the elements: there all is zero, and stays so.
///
/// Native memory and arrays have loops of their own. One loop over segments of both kinds is compiled for both
/// once a process has met both, and is then three times as slow. Each loop has a method of its own, too: the
/// compiler inlines only so much into one, and vectors that leave a method become objects.
public abstract sealed class ParameterUpdate permits SgdUpdate, AdamUpdate {
    static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    /// Floats of one vector.
    static final int LANES = SPECIES.length();

    /// Bytes of one vector.
    static final int BYTES = SPECIES.vectorByteSize();

    /// @param learningRate of this step, whatever the optimizer's own is
    /// @param step how many steps the optimizer has made with this one: 1 for the first
    public static ParameterUpdate of(OptimizerSpec optimizer, double learningRate, long step) {
        return switch (optimizer) {
            case OptimizerSpec.Sgd sgd -> new SgdUpdate(sgd, learningRate);
            case OptimizerSpec.Adam _, OptimizerSpec.AdamW _ ->
                new AdamUpdate(AdamFactors.of(optimizer, learningRate, step));
        };
    }

    /// Takes the step for one parameter in native memory, or for a piece of one. All segments hold float32, the same
    /// number of them in the same places.
    ///
    /// @param values the parameter
    /// @param state one for each of [OptimizerSpec#slots]
    /// @throws IllegalArgumentException if the parameter is not in native memory
    public final void apply(MemorySegment values, MemorySegment gradient, List<MemorySegment> state) {
        if (!values.isNative()) {
            throw new IllegalArgumentException("the parameter is on the heap; use the method that takes arrays");
        }
        long end = values.byteSize() / BYTES * BYTES;
        applyWhole(values, gradient, state, end);
        int rest = (int) ((values.byteSize() - end) / Float.BYTES);
        if (rest > 0) {
            float[] lastValues = padded(values, end, rest);
            List<float[]> lastState = new ArrayList<>();
            state.forEach(slot -> lastState.add(padded(slot, end, rest)));
            applyWhole(lastValues, padded(gradient, end, rest), lastState, 0, LANES);
            MemorySegment.copy(lastValues, 0, values, ValueLayout.JAVA_FLOAT, end, rest);
            for (int i = 0; i < state.size(); i++) {
                MemorySegment.copy(lastState.get(i), 0, state.get(i), ValueLayout.JAVA_FLOAT, end, rest);
            }
        }
    }

    /// Takes the step for the elements `from` to `to`, without it, of one parameter in arrays.
    ///
    /// @param values the parameter
    /// @param state one for each of [OptimizerSpec#slots]
    public final void apply(float[] values, float[] gradient, List<float[]> state, int from, int to) {
        int end = to - (to - from) % LANES;
        applyWhole(values, gradient, state, from, end);
        int rest = to - end;
        if (rest > 0) {
            float[] lastValues = padded(values, end, rest);
            List<float[]> lastState = new ArrayList<>();
            state.forEach(slot -> lastState.add(padded(slot, end, rest)));
            applyWhole(lastValues, padded(gradient, end, rest), lastState, 0, LANES);
            System.arraycopy(lastValues, 0, values, end, rest);
            for (int i = 0; i < state.size(); i++) {
                System.arraycopy(lastState.get(i), 0, state.get(i), end, rest);
            }
        }
    }

    /// @param end in bytes; a whole number of vectors
    abstract void applyWhole(MemorySegment values, MemorySegment gradient, List<MemorySegment> state, long end);

    /// @param to a whole number of vectors behind `from`
    abstract void applyWhole(float[] values, float[] gradient, List<float[]> state, int from, int to);

    private static float[] padded(MemorySegment from, long offset, int floats) {
        float[] vector = new float[LANES];
        MemorySegment.copy(from, ValueLayout.JAVA_FLOAT, offset, vector, 0, floats);
        return vector;
    }

    private static float[] padded(float[] from, int offset, int floats) {
        float[] vector = new float[LANES];
        System.arraycopy(from, offset, vector, 0, floats);
        return vector;
    }

    static FloatVector load(MemorySegment from, long offset) {
        return FloatVector.fromMemorySegment(SPECIES, from, offset, ORDER);
    }

    static FloatVector load(float[] from, int index) {
        return FloatVector.fromArray(SPECIES, from, index);
    }

    static void store(FloatVector vector, MemorySegment to, long offset) {
        vector.intoMemorySegment(to, offset, ORDER);
    }

    static FloatVector all(float value) {
        return FloatVector.broadcast(SPECIES, value);
    }
}
