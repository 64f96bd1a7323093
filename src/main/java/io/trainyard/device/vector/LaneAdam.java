package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.LENGTH;

import io.trainyard.device.session.UpdateRule;
import java.util.List;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/// [UpdateRule.Adam] of several models.
final class LaneAdam extends LaneUpdate {
    private static final int STEP_SIZE = 1;
    private static final int BETA2 = 2;
    private static final int NEW = 3;
    private static final int APPROACH = 4;
    private static final int FROM_END = 5;
    private static final int SHRINK = 6;
    private static final int CORRECTION = 7;
    private static final int EPSILON = 8;

    LaneAdam() {
        super(9);
    }

    @Override
    void putNumbers(int lane, UpdateRule rule) {
        UpdateRule.Adam adam = (UpdateRule.Adam) rule;
        put(lane, DECAY, adam.gradientDecay());
        put(lane, STEP_SIZE, adam.minusStepSize());
        put(lane, BETA2, adam.beta2());
        put(lane, NEW, adam.newSquare());
        put(lane, APPROACH, adam.mean().approach());
        put(lane, FROM_END, adam.mean().fromEnd() ? 1 : 0);
        put(lane, SHRINK, adam.shrink());
        put(lane, CORRECTION, adam.correction());
        put(lane, EPSILON, adam.epsilon());
    }

    private FloatVector square(FloatVector s, FloatVector d) {
        return d.mul(number(NEW)).fma(d, s.mul(number(BETA2)));
    }

    private FloatVector moved(FloatVector p, FloatVector m, FloatVector s) {
        FloatVector root = s.sqrt().div(number(CORRECTION)).add(number(EPSILON));
        return m.mul(number(STEP_SIZE)).div(root).add(p.mul(number(SHRINK)));
    }

    /// With AMSGrad there is a slot more, for the largest squares so far.
    @Override
    void apply(float[] values, float[] gradient, int gradientAt, List<float[]> state, int from, int length) {
        if (state.size() > 2) {
            amsgradVectors(values, gradient, gradientAt, state, from, length);
        } else {
            adamVectors(values, gradient, gradientAt, state, from, length);
        }
    }

    private void adamVectors(
            float[] values, float[] gradient, int gradientAt, List<float[]> state, int from, int length) {
        float[] means = state.get(0);
        float[] squares = state.get(1);
        VectorMask<Float> resting = resting();
        VectorMask<Float> ends = which(FROM_END);
        for (int i = 0; i < length; i += LENGTH) {
            FloatVector p = load(values, from + i);
            FloatVector d = decayed(p, load(gradient, gradientAt + i));
            FloatVector mean = load(means, from + i);
            FloatVector square = load(squares, from + i);
            FloatVector m = approached(mean, d, APPROACH, ends);
            FloatVector s = square(square, d);
            m.blend(mean, resting).intoArray(means, from + i);
            s.blend(square, resting).intoArray(squares, from + i);
            moved(p, m, s).blend(p, resting).intoArray(values, from + i);
        }
    }

    private void amsgradVectors(
            float[] values, float[] gradient, int gradientAt, List<float[]> state, int from, int length) {
        float[] means = state.get(0);
        float[] squares = state.get(1);
        float[] largest = state.get(2);
        VectorMask<Float> resting = resting();
        VectorMask<Float> ends = which(FROM_END);
        for (int i = 0; i < length; i += LENGTH) {
            FloatVector p = load(values, from + i);
            FloatVector d = decayed(p, load(gradient, gradientAt + i));
            FloatVector mean = load(means, from + i);
            FloatVector square = load(squares, from + i);
            FloatVector large = load(largest, from + i);
            FloatVector m = approached(mean, d, APPROACH, ends);
            FloatVector s = square(square, d);
            FloatVector most = large.max(s);
            m.blend(mean, resting).intoArray(means, from + i);
            s.blend(square, resting).intoArray(squares, from + i);
            most.blend(large, resting).intoArray(largest, from + i);
            moved(p, m, most).blend(p, resting).intoArray(values, from + i);
        }
    }
}
