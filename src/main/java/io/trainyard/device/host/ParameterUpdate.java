package io.trainyard.device.host;

import io.trainyard.device.session.UpdateRule;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.OptimizerSpec.Adam;
import io.trainyard.spec.OptimizerSpec.AdamW;
import io.trainyard.spec.OptimizerSpec.Rmsprop;
import io.trainyard.spec.OptimizerSpec.Sgd;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.List;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// One step of an optimizer: an [UpdateRule], computed with Java's Vector API.
///
/// Each element is computed independently and always by the same operations, so the bits depend neither on the
/// vector length nor on the division of a parameter into pieces. The padding of blocked layouts may be among the
/// elements: it is zero and stays zero.
///
/// Native memory and arrays have separate loops: a single loop over segments of both kinds is three times as slow
/// after a process has used both. Each loop is in a separate method as well, because the compiler's inlining is
/// limited for each method, and vectors that escape a method become objects.
public abstract class ParameterUpdate {
    static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    static final int LANES = SPECIES.length();

    static final int BYTES = SPECIES.vectorByteSize();

    ParameterUpdate() {}

    /// The different loops, the most common first. Steps with the same loop differ only in coefficients.
    public enum Loop {
        MOMENTUM(new Sgd(0, 0.9, 0)),
        PLAIN(new Sgd(0, 0, 0)),
        ADAM(new Adam(0, 0.9, 0.999, 1e-8, 0)),
        NESTEROV(new Sgd(0, 0.9, true, 0)),
        RMSPROP(new Rmsprop(0, 0.99, 1e-8, 0, false, 0)),
        RMSPROP_MOMENTUM(new Rmsprop(0, 0.99, 1e-8, 0.9, false, 0)),
        AMSGRAD(new Adam(0, 0.9, 0.999, 1e-8, 0, true)),
        RMSPROP_CENTERED(new Rmsprop(0, 0.99, 1e-8, 0, true, 0)),
        RMSPROP_CENTERED_MOMENTUM(new Rmsprop(0, 0.99, 1e-8, 0.9, true, 0));

        private final OptimizerSpec example;

        Loop(OptimizerSpec example) {
            this.example = example;
        }

        public static List<Loop> usual() {
            return List.of(MOMENTUM, PLAIN, ADAM, NESTEROV);
        }

        public static Loop of(OptimizerSpec optimizer) {
            return switch (optimizer) {
                case Sgd sgd -> sgd.slots().isEmpty() ? PLAIN : sgd.nesterov() ? NESTEROV : MOMENTUM;
                case Adam adam -> adam.amsgrad() ? AMSGRAD : ADAM;
                case AdamW adam -> adam.amsgrad() ? AMSGRAD : ADAM;
                case Rmsprop rmsprop -> of(rmsprop);
            };
        }

        private static Loop of(Rmsprop rmsprop) {
            if (rmsprop.centered()) {
                return rmsprop.hasMomentum() ? RMSPROP_CENTERED_MOMENTUM : RMSPROP_CENTERED;
            }
            return rmsprop.hasMomentum() ? RMSPROP_MOMENTUM : RMSPROP;
        }

        /// An optimizer that uses this loop, with a learning rate of 0.
        public OptimizerSpec example() {
            return example;
        }
    }

    /// @param optimizer with the momentum of this step
    /// @param learningRate of this step, instead of the optimizer's own
    /// @param step number of the optimizer's step, from 1
    public static ParameterUpdate of(OptimizerSpec optimizer, double learningRate, long step) {
        return switch (UpdateRule.of(optimizer, learningRate, step)) {
            case UpdateRule.Sgd sgd -> new SgdUpdate(sgd);
            case UpdateRule.Adam adam -> new AdamUpdate(adam);
            case UpdateRule.Rmsprop rmsprop -> new RmspropUpdate(rmsprop);
        };
    }

    /// Updates one parameter in native memory, or a piece of one. All segments hold the same number of float32
    /// values in the same order.
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
        if (end < values.byteSize()) {
            List<MemorySegment> rest =
                    state.stream().map(slot -> slot.asSlice(end)).toList();
            applyRest(values.asSlice(end), gradient.asSlice(end), rest);
        }
    }

    /// Updates the elements `from` to `to`, exclusive, of one parameter in arrays.
    ///
    /// @param values the parameter
    /// @param state one for each of [OptimizerSpec#slots]
    public final void apply(float[] values, float[] gradient, List<float[]> state, int from, int to) {
        int end = to - (to - from) % LANES;
        applyWhole(values, gradient, state, from, end);
        if (end < to) {
            List<MemorySegment> rest =
                    state.stream().map(slot -> slice(slot, end, to)).toList();
            applyRest(slice(values, end, to), slice(gradient, end, to), rest);
        }
    }

    private static MemorySegment slice(float[] array, int from, int to) {
        return MemorySegment.ofArray(array).asSlice((long) from * Float.BYTES, (long) (to - from) * Float.BYTES);
    }

    private void applyRest(MemorySegment values, MemorySegment gradient, List<MemorySegment> state) {
        float[] wholeValues = padded(values);
        List<float[]> wholeState = state.stream().map(ParameterUpdate::padded).toList();
        applyWhole(wholeValues, padded(gradient), wholeState, 0, LANES);
        unpad(wholeValues, values);
        for (int i = 0; i < state.size(); i++) {
            unpad(wholeState.get(i), state.get(i));
        }
    }

    private static float[] padded(MemorySegment rest) {
        float[] vector = new float[LANES];
        MemorySegment.copy(rest, 0, MemorySegment.ofArray(vector), 0, rest.byteSize());
        return vector;
    }

    private static void unpad(float[] vector, MemorySegment rest) {
        MemorySegment.copy(MemorySegment.ofArray(vector), 0, rest, 0, rest.byteSize());
    }

    /// @param end in bytes; a multiple of the vector length
    abstract void applyWhole(MemorySegment values, MemorySegment gradient, List<MemorySegment> state, long end);

    /// @param to a multiple of the vector length after `from`
    abstract void applyWhole(float[] values, float[] gradient, List<float[]> state, int from, int to);

    static FloatVector load(MemorySegment from, long offset) {
        return FloatVector.fromMemorySegment(SPECIES, from, offset, ORDER);
    }

    static FloatVector load(float[] from, int index) {
        return FloatVector.fromArray(SPECIES, from, index);
    }

    static void store(FloatVector vector, MemorySegment to, long offset) {
        vector.intoMemorySegment(to, offset, ORDER);
    }

    /// Without weight decay the parameter is not used, as in PyTorch: 0 times infinity would be NaN.
    static FloatVector decayed(float decay, FloatVector parameter, FloatVector gradient) {
        return decay == 0 ? gradient : all(decay).fma(parameter, gradient);
    }

    static FloatVector all(float value) {
        return FloatVector.broadcast(SPECIES, value);
    }
}
