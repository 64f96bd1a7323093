package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.LENGTH;

import io.trainyard.device.session.UpdateRule;
import java.util.List;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/// [UpdateRule.Rmsprop] of several models.
final class LaneRmsprop extends LaneUpdate {
    private static final int RATE = 1;
    private static final int MOMENTUM = 2;
    private static final int ALPHA = 3;
    private static final int NEW = 4;
    private static final int APPROACH = 5;
    private static final int FROM_END = 6;
    private static final int EPSILON = 7;

    private final boolean centered;

    LaneRmsprop(boolean centered) {
        super(8);
        this.centered = centered;
    }

    @Override
    void putNumbers(int lane, UpdateRule rule) {
        UpdateRule.Rmsprop rmsprop = (UpdateRule.Rmsprop) rule;
        put(lane, DECAY, rmsprop.weightDecay());
        put(lane, RATE, rmsprop.minusLearningRate());
        put(lane, MOMENTUM, rmsprop.momentum());
        put(lane, ALPHA, rmsprop.alpha());
        put(lane, NEW, rmsprop.newSquare());
        put(lane, APPROACH, rmsprop.mean().approach());
        put(lane, FROM_END, rmsprop.mean().fromEnd() ? 1 : 0);
        put(lane, EPSILON, rmsprop.epsilon());
    }

    private FloatVector square(FloatVector s, FloatVector d) {
        return d.mul(number(NEW)).fma(d, s.mul(number(ALPHA)));
    }

    private static FloatVector variance(FloatVector s, FloatVector a) {
        return a.neg().fma(a, s);
    }

    private FloatVector root(FloatVector square) {
        return square.sqrt().add(number(EPSILON));
    }

    private FloatVector velocity(FloatVector v, FloatVector d, FloatVector root) {
        return v.mul(number(MOMENTUM)).add(d.div(root));
    }

    private FloatVector moved(FloatVector p, FloatVector d, FloatVector root) {
        return p.add(d.mul(number(RATE)).div(root));
    }

    private FloatVector moved(FloatVector p, FloatVector v) {
        return number(RATE).fma(v, p);
    }

    @Override
    void apply(float[] values, float[] gradient, int gradientAt, List<float[]> state, int from, int length) {
        boolean moving = state.size() > (centered ? 2 : 1);
        if (centered && moving) {
            bothVectors(values, gradient, gradientAt, state, from, length);
        } else if (centered) {
            centeredVectors(values, gradient, gradientAt, state, from, length);
        } else if (moving) {
            momentumVectors(values, gradient, gradientAt, state, from, length);
        } else {
            plainVectors(values, gradient, gradientAt, state.getFirst(), from, length);
        }
    }

    private void plainVectors(float[] values, float[] gradient, int gradientAt, float[] squares, int from, int length) {
        VectorMask<Float> resting = resting();
        for (int i = 0; i < length; i += LENGTH) {
            FloatVector p = load(values, from + i);
            FloatVector d = decayed(p, load(gradient, gradientAt + i));
            FloatVector square = load(squares, from + i);
            FloatVector s = square(square, d);
            s.blend(square, resting).intoArray(squares, from + i);
            moved(p, d, root(s)).blend(p, resting).intoArray(values, from + i);
        }
    }

    private void momentumVectors(
            float[] values, float[] gradient, int gradientAt, List<float[]> state, int from, int length) {
        float[] squares = state.get(0);
        float[] buffer = state.get(1);
        VectorMask<Float> resting = resting();
        for (int i = 0; i < length; i += LENGTH) {
            FloatVector p = load(values, from + i);
            FloatVector d = decayed(p, load(gradient, gradientAt + i));
            FloatVector square = load(squares, from + i);
            FloatVector before = load(buffer, from + i);
            FloatVector s = square(square, d);
            FloatVector v = velocity(before, d, root(s));
            s.blend(square, resting).intoArray(squares, from + i);
            v.blend(before, resting).intoArray(buffer, from + i);
            moved(p, v).blend(p, resting).intoArray(values, from + i);
        }
    }

    private void centeredVectors(
            float[] values, float[] gradient, int gradientAt, List<float[]> state, int from, int length) {
        float[] squares = state.get(0);
        float[] means = state.get(1);
        VectorMask<Float> resting = resting();
        VectorMask<Float> ends = which(FROM_END);
        for (int i = 0; i < length; i += LENGTH) {
            FloatVector p = load(values, from + i);
            FloatVector d = decayed(p, load(gradient, gradientAt + i));
            FloatVector square = load(squares, from + i);
            FloatVector mean = load(means, from + i);
            FloatVector s = square(square, d);
            FloatVector a = approached(mean, d, APPROACH, ends);
            s.blend(square, resting).intoArray(squares, from + i);
            a.blend(mean, resting).intoArray(means, from + i);
            moved(p, d, root(variance(s, a))).blend(p, resting).intoArray(values, from + i);
        }
    }

    private void bothVectors(
            float[] values, float[] gradient, int gradientAt, List<float[]> state, int from, int length) {
        float[] squares = state.get(0);
        float[] buffer = state.get(1);
        float[] means = state.get(2);
        VectorMask<Float> resting = resting();
        VectorMask<Float> ends = which(FROM_END);
        for (int i = 0; i < length; i += LENGTH) {
            FloatVector p = load(values, from + i);
            FloatVector d = decayed(p, load(gradient, gradientAt + i));
            FloatVector square = load(squares, from + i);
            FloatVector before = load(buffer, from + i);
            FloatVector mean = load(means, from + i);
            FloatVector s = square(square, d);
            FloatVector a = approached(mean, d, APPROACH, ends);
            FloatVector v = velocity(before, d, root(variance(s, a)));
            s.blend(square, resting).intoArray(squares, from + i);
            v.blend(before, resting).intoArray(buffer, from + i);
            a.blend(mean, resting).intoArray(means, from + i);
            moved(p, v).blend(p, resting).intoArray(values, from + i);
        }
    }
}
