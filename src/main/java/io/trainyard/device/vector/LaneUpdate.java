package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.LENGTH;
import static io.trainyard.device.vector.Vectors.SPECIES;

import io.trainyard.device.host.ParameterUpdate.Loop;
import io.trainyard.device.session.UpdateRule;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/// The optimizers' step of several models, each with its own numbers. The rules are those of
/// [io.trainyard.device.host.ParameterUpdate], with the same operations.
final class LaneUpdate {
    /// The rules there are.
    static final Set<Loop> LOOPS = Set.of(Loop.PLAIN, Loop.MOMENTUM, Loop.NESTEROV, Loop.ADAM);

    /// What each rule's numbers are called here.
    private static final int DECAY = 0;

    private static final int RATE = 1;
    private static final int MOMENTUM = 2;
    private static final int NEW = 3;
    private static final int APPROACH = 4;
    private static final int FROM_END = 5;
    private static final int SHRINK = 6;
    private static final int CORRECTION = 7;
    private static final int EPSILON = 8;
    private static final int NUMBERS = 9;

    private final Loop loop;
    private final float[] numbers = new float[NUMBERS * Lanes.COUNT];
    private final float[] takesPart = new float[Lanes.COUNT];

    LaneUpdate(Loop loop) {
        this.loop = loop;
    }

    /// Leaves all models as they are.
    void rest() {
        Arrays.fill(takesPart, 0);
    }

    /// Leaves a model as it is.
    void rest(int lane) {
        takesPart[lane] = 0;
    }

    /// Has the next step change a model.
    void set(int lane, UpdateRule rule) {
        takesPart[lane] = 1;
        switch (rule) {
            case UpdateRule.Sgd sgd -> {
                put(lane, DECAY, sgd.weightDecay());
                put(lane, RATE, sgd.minusLearningRate());
                put(lane, MOMENTUM, sgd.momentum());
                put(lane, NEW, sgd.newGradient());
            }
            case UpdateRule.Adam adam -> {
                put(lane, DECAY, adam.gradientDecay());
                put(lane, RATE, adam.minusStepSize());
                put(lane, MOMENTUM, adam.beta2());
                put(lane, NEW, adam.newSquare());
                put(lane, APPROACH, adam.mean().approach());
                put(lane, FROM_END, adam.mean().fromEnd() ? 1 : 0);
                put(lane, SHRINK, adam.shrink());
                put(lane, CORRECTION, adam.correction());
                put(lane, EPSILON, adam.epsilon());
            }
            case UpdateRule.Rmsprop _ ->
                throw new IllegalArgumentException("there is no loop over several models for RMSprop");
        }
    }

    private void put(int lane, int number, float value) {
        numbers[number * Lanes.COUNT + lane] = value;
    }

    /// Takes the step for the parameters `at` and following.
    ///
    /// @param gradientAt the first one's gradient in its array
    void apply(float[] values, float[] gradient, int gradientAt, List<float[]> state, int at, int count) {
        int from = at * Lanes.COUNT;
        int length = count * Lanes.COUNT;
        switch (loop) {
            case PLAIN -> plainVectors(values, gradient, gradientAt, from, length);
            case MOMENTUM -> momentumVectors(values, gradient, gradientAt, state.getFirst(), from, length);
            case NESTEROV -> nesterovVectors(values, gradient, gradientAt, state.getFirst(), from, length);
            case ADAM -> adamVectors(values, gradient, gradientAt, state.getFirst(), state.getLast(), from, length);
            case RMSPROP, RMSPROP_MOMENTUM, AMSGRAD, RMSPROP_CENTERED, RMSPROP_CENTERED_MOMENTUM ->
                throw new IllegalStateException("there is no loop over several models for " + loop);
        }
    }

    private FloatVector number(int number) {
        return FloatVector.fromArray(SPECIES, numbers, number * Lanes.COUNT);
    }

    private VectorMask<Float> are(float[] ones, int from) {
        return FloatVector.fromArray(SPECIES, ones, from).compare(VectorOperators.EQ, 1);
    }

    private void plainVectors(float[] values, float[] gradient, int gradientAt, int from, int length) {
        FloatVector decay = number(DECAY);
        VectorMask<Float> noDecay = decay.compare(VectorOperators.EQ, 0);
        VectorMask<Float> moves = are(takesPart, 0);
        FloatVector rate = number(RATE);
        for (int i = 0; i < length; i += LENGTH) {
            FloatVector p = FloatVector.fromArray(SPECIES, values, from + i);
            FloatVector g = FloatVector.fromArray(SPECIES, gradient, gradientAt + i);
            FloatVector d = decay.fma(p, g).blend(g, noDecay);
            p.blend(rate.fma(d, p), moves).intoArray(values, from + i);
        }
    }

    private void momentumVectors(
            float[] values, float[] gradient, int gradientAt, float[] buffer, int from, int length) {
        FloatVector decay = number(DECAY);
        VectorMask<Float> noDecay = decay.compare(VectorOperators.EQ, 0);
        VectorMask<Float> moves = are(takesPart, 0);
        FloatVector rate = number(RATE);
        FloatVector momentum = number(MOMENTUM);
        FloatVector part = number(NEW);
        for (int i = 0; i < length; i += LENGTH) {
            FloatVector p = FloatVector.fromArray(SPECIES, values, from + i);
            FloatVector g = FloatVector.fromArray(SPECIES, gradient, gradientAt + i);
            FloatVector d = decay.fma(p, g).blend(g, noDecay);
            FloatVector before = FloatVector.fromArray(SPECIES, buffer, from + i);
            FloatVector v = part.fma(d, before.mul(momentum));
            before.blend(v, moves).intoArray(buffer, from + i);
            p.blend(rate.fma(v, p), moves).intoArray(values, from + i);
        }
    }

    private void nesterovVectors(
            float[] values, float[] gradient, int gradientAt, float[] buffer, int from, int length) {
        FloatVector decay = number(DECAY);
        VectorMask<Float> noDecay = decay.compare(VectorOperators.EQ, 0);
        VectorMask<Float> moves = are(takesPart, 0);
        FloatVector rate = number(RATE);
        FloatVector momentum = number(MOMENTUM);
        FloatVector part = number(NEW);
        for (int i = 0; i < length; i += LENGTH) {
            FloatVector p = FloatVector.fromArray(SPECIES, values, from + i);
            FloatVector g = FloatVector.fromArray(SPECIES, gradient, gradientAt + i);
            FloatVector d = decay.fma(p, g).blend(g, noDecay);
            FloatVector before = FloatVector.fromArray(SPECIES, buffer, from + i);
            FloatVector v = part.fma(d, before.mul(momentum));
            before.blend(v, moves).intoArray(buffer, from + i);
            p.blend(rate.fma(momentum.fma(v, d), p), moves).intoArray(values, from + i);
        }
    }

    private void adamVectors(
            float[] values, float[] gradient, int gradientAt, float[] means, float[] squares, int from, int length) {
        FloatVector decay = number(DECAY);
        VectorMask<Float> noDecay = decay.compare(VectorOperators.EQ, 0);
        VectorMask<Float> moves = are(takesPart, 0);
        VectorMask<Float> ends = are(numbers, FROM_END * Lanes.COUNT);
        for (int i = 0; i < length; i += LENGTH) {
            FloatVector p = FloatVector.fromArray(SPECIES, values, from + i);
            FloatVector g = FloatVector.fromArray(SPECIES, gradient, gradientAt + i);
            FloatVector d = decay.fma(p, g).blend(g, noDecay);
            FloatVector mean = FloatVector.fromArray(SPECIES, means, from + i);
            FloatVector square = FloatVector.fromArray(SPECIES, squares, from + i);
            FloatVector m = number(APPROACH).fma(d.sub(mean), mean.blend(d, ends));
            FloatVector s = d.mul(number(NEW)).fma(d, square.mul(number(MOMENTUM)));
            FloatVector root = s.sqrt().div(number(CORRECTION)).add(number(EPSILON));
            FloatVector next = m.mul(number(RATE)).div(root).add(p.mul(number(SHRINK)));
            mean.blend(m, moves).intoArray(means, from + i);
            square.blend(s, moves).intoArray(squares, from + i);
            p.blend(next, moves).intoArray(values, from + i);
        }
    }
}
