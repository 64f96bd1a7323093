package io.trainyard.device.vector;

import static io.trainyard.device.vector.Vectors.LENGTH;

import io.trainyard.device.session.UpdateRule;
import java.util.List;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/// [UpdateRule.Sgd] of several models.
final class LaneSgd extends LaneUpdate {
    private static final int RATE = 1;
    private static final int MOMENTUM = 2;
    private static final int NEW = 3;

    private final boolean nesterov;

    LaneSgd(boolean nesterov) {
        super(4);
        this.nesterov = nesterov;
    }

    @Override
    void putNumbers(int lane, UpdateRule rule) {
        UpdateRule.Sgd sgd = (UpdateRule.Sgd) rule;
        put(lane, DECAY, sgd.weightDecay());
        put(lane, RATE, sgd.minusLearningRate());
        put(lane, MOMENTUM, sgd.momentum());
        put(lane, NEW, sgd.newGradient());
    }

    private FloatVector velocity(FloatVector v, FloatVector d) {
        return number(NEW).fma(d, v.mul(number(MOMENTUM)));
    }

    private FloatVector moved(FloatVector p, FloatVector along) {
        return number(RATE).fma(along, p);
    }

    @Override
    void apply(float[] values, float[] gradient, int gradientAt, List<float[]> state, int from, int length) {
        if (state.isEmpty()) {
            plainVectors(values, gradient, gradientAt, from, length);
        } else if (nesterov) {
            nesterovVectors(values, gradient, gradientAt, state.getFirst(), from, length);
        } else {
            momentumVectors(values, gradient, gradientAt, state.getFirst(), from, length);
        }
    }

    private void plainVectors(float[] values, float[] gradient, int gradientAt, int from, int length) {
        VectorMask<Float> resting = resting();
        for (int i = 0; i < length; i += LENGTH) {
            FloatVector p = load(values, from + i);
            FloatVector d = decayed(p, load(gradient, gradientAt + i));
            moved(p, d).blend(p, resting).intoArray(values, from + i);
        }
    }

    private void momentumVectors(
            float[] values, float[] gradient, int gradientAt, float[] buffer, int from, int length) {
        VectorMask<Float> resting = resting();
        for (int i = 0; i < length; i += LENGTH) {
            FloatVector p = load(values, from + i);
            FloatVector before = load(buffer, from + i);
            FloatVector v = velocity(before, decayed(p, load(gradient, gradientAt + i)));
            v.blend(before, resting).intoArray(buffer, from + i);
            moved(p, v).blend(p, resting).intoArray(values, from + i);
        }
    }

    private void nesterovVectors(
            float[] values, float[] gradient, int gradientAt, float[] buffer, int from, int length) {
        VectorMask<Float> resting = resting();
        for (int i = 0; i < length; i += LENGTH) {
            FloatVector p = load(values, from + i);
            FloatVector before = load(buffer, from + i);
            FloatVector d = decayed(p, load(gradient, gradientAt + i));
            FloatVector v = velocity(before, d);
            v.blend(before, resting).intoArray(buffer, from + i);
            moved(p, number(MOMENTUM).fma(v, d)).blend(p, resting).intoArray(values, from + i);
        }
    }
}
