package io.trainyard.device.host;

import io.trainyard.device.session.UpdateRule;
import java.lang.foreign.MemorySegment;
import java.util.List;
import jdk.incubator.vector.FloatVector;

final class SgdUpdate extends ParameterUpdate {
    private final float minusLearningRate;
    private final float momentum;
    private final float newGradient;
    private final boolean nesterov;
    private final float weightDecay;

    SgdUpdate(UpdateRule.Sgd rule) {
        minusLearningRate = rule.minusLearningRate();
        momentum = rule.momentum();
        newGradient = rule.newGradient();
        nesterov = rule.nesterov();
        weightDecay = rule.weightDecay();
    }

    private FloatVector velocity(FloatVector v, FloatVector d) {
        return all(newGradient).fma(d, v.mul(momentum));
    }

    private FloatVector ahead(FloatVector v, FloatVector d) {
        return all(momentum).fma(v, d);
    }

    private FloatVector moved(FloatVector p, FloatVector along) {
        return all(minusLearningRate).fma(along, p);
    }

    @Override
    void applyWhole(MemorySegment values, MemorySegment gradient, List<MemorySegment> state, long end) {
        if (state.isEmpty()) {
            plainVectors(values, gradient, end);
        } else if (nesterov) {
            nesterovVectors(values, gradient, state.getFirst(), end);
        } else {
            momentumVectors(values, gradient, state.getFirst(), end);
        }
    }

    private void plainVectors(MemorySegment values, MemorySegment gradient, long end) {
        for (long i = 0; i < end; i += BYTES) {
            FloatVector p = load(values, i);
            store(moved(p, decayed(weightDecay, p, load(gradient, i))), values, i);
        }
    }

    private void momentumVectors(MemorySegment values, MemorySegment gradient, MemorySegment buffer, long end) {
        for (long i = 0; i < end; i += BYTES) {
            FloatVector p = load(values, i);
            FloatVector v = velocity(load(buffer, i), decayed(weightDecay, p, load(gradient, i)));
            store(v, buffer, i);
            store(moved(p, v), values, i);
        }
    }

    private void nesterovVectors(MemorySegment values, MemorySegment gradient, MemorySegment buffer, long end) {
        for (long i = 0; i < end; i += BYTES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(weightDecay, p, load(gradient, i));
            FloatVector v = velocity(load(buffer, i), d);
            store(v, buffer, i);
            store(moved(p, ahead(v, d)), values, i);
        }
    }

    @Override
    void applyWhole(float[] values, float[] gradient, List<float[]> state, int from, int to) {
        if (state.isEmpty()) {
            plainVectors(values, gradient, from, to);
        } else if (nesterov) {
            nesterovVectors(values, gradient, state.getFirst(), from, to);
        } else {
            momentumVectors(values, gradient, state.getFirst(), from, to);
        }
    }

    private void plainVectors(float[] values, float[] gradient, int from, int to) {
        for (int i = from; i < to; i += LANES) {
            FloatVector p = load(values, i);
            moved(p, decayed(weightDecay, p, load(gradient, i))).intoArray(values, i);
        }
    }

    private void momentumVectors(float[] values, float[] gradient, float[] buffer, int from, int to) {
        for (int i = from; i < to; i += LANES) {
            FloatVector p = load(values, i);
            FloatVector v = velocity(load(buffer, i), decayed(weightDecay, p, load(gradient, i)));
            v.intoArray(buffer, i);
            moved(p, v).intoArray(values, i);
        }
    }

    private void nesterovVectors(float[] values, float[] gradient, float[] buffer, int from, int to) {
        for (int i = from; i < to; i += LANES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(weightDecay, p, load(gradient, i));
            FloatVector v = velocity(load(buffer, i), d);
            v.intoArray(buffer, i);
            moved(p, ahead(v, d)).intoArray(values, i);
        }
    }
}
