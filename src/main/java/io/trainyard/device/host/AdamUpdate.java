package io.trainyard.device.host;

import io.trainyard.device.session.UpdateRule;
import java.lang.foreign.MemorySegment;
import java.util.List;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

final class AdamUpdate extends ParameterUpdate {
    private final float gradientDecay;
    private final float shrink;
    private final float approach;
    private final boolean fromGradient;
    private final float beta2;
    private final float newSquare;
    private final float minusStepSize;
    private final float correction;
    private final float epsilon;
    private final boolean amsgrad;

    AdamUpdate(UpdateRule.Adam rule) {
        gradientDecay = rule.gradientDecay();
        shrink = rule.shrink();
        approach = rule.mean().approach();
        fromGradient = rule.mean().fromEnd();
        beta2 = rule.beta2();
        newSquare = rule.newSquare();
        minusStepSize = rule.minusStepSize();
        correction = rule.correction();
        epsilon = rule.epsilon();
        amsgrad = rule.amsgrad();
    }

    private FloatVector mean(FloatVector m, FloatVector d, VectorMask<Float> ends) {
        return all(approach).fma(d.sub(m), m.blend(d, ends));
    }

    private FloatVector square(FloatVector s, FloatVector d) {
        return d.mul(newSquare).fma(d, s.mul(beta2));
    }

    private FloatVector moved(FloatVector p, FloatVector m, FloatVector s) {
        return m.mul(minusStepSize).div(s.sqrt().div(correction).add(epsilon)).add(p.mul(shrink));
    }

    @Override
    void applyWhole(MemorySegment values, MemorySegment gradient, List<MemorySegment> state, long end) {
        if (amsgrad) {
            amsgradVectors(values, gradient, state, end);
        } else {
            adamVectors(values, gradient, state.get(0), state.get(1), end);
        }
    }

    private void adamVectors(
            MemorySegment values, MemorySegment gradient, MemorySegment means, MemorySegment squares, long end) {
        VectorMask<Float> ends = SPECIES.maskAll(fromGradient);
        for (long i = 0; i < end; i += BYTES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(gradientDecay, p, load(gradient, i));
            FloatVector m = mean(load(means, i), d, ends);
            FloatVector s = square(load(squares, i), d);
            store(m, means, i);
            store(s, squares, i);
            store(moved(p, m, s), values, i);
        }
    }

    private void amsgradVectors(MemorySegment values, MemorySegment gradient, List<MemorySegment> state, long end) {
        MemorySegment means = state.get(0);
        MemorySegment squares = state.get(1);
        MemorySegment largest = state.get(2);
        VectorMask<Float> ends = SPECIES.maskAll(fromGradient);
        for (long i = 0; i < end; i += BYTES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(gradientDecay, p, load(gradient, i));
            FloatVector m = mean(load(means, i), d, ends);
            FloatVector s = square(load(squares, i), d);
            FloatVector most = load(largest, i).max(s);
            store(m, means, i);
            store(s, squares, i);
            store(most, largest, i);
            store(moved(p, m, most), values, i);
        }
    }

    @Override
    void applyWhole(float[] values, float[] gradient, List<float[]> state, int from, int to) {
        if (amsgrad) {
            amsgradVectors(values, gradient, state, from, to);
        } else {
            adamVectors(values, gradient, state.get(0), state.get(1), from, to);
        }
    }

    private void adamVectors(float[] values, float[] gradient, float[] means, float[] squares, int from, int to) {
        VectorMask<Float> ends = SPECIES.maskAll(fromGradient);
        for (int i = from; i < to; i += LANES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(gradientDecay, p, load(gradient, i));
            FloatVector m = mean(load(means, i), d, ends);
            FloatVector s = square(load(squares, i), d);
            m.intoArray(means, i);
            s.intoArray(squares, i);
            moved(p, m, s).intoArray(values, i);
        }
    }

    private void amsgradVectors(float[] values, float[] gradient, List<float[]> state, int from, int to) {
        float[] means = state.get(0);
        float[] squares = state.get(1);
        float[] largest = state.get(2);
        VectorMask<Float> ends = SPECIES.maskAll(fromGradient);
        for (int i = from; i < to; i += LANES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(gradientDecay, p, load(gradient, i));
            FloatVector m = mean(load(means, i), d, ends);
            FloatVector s = square(load(squares, i), d);
            FloatVector most = load(largest, i).max(s);
            m.intoArray(means, i);
            s.intoArray(squares, i);
            most.intoArray(largest, i);
            moved(p, m, most).intoArray(values, i);
        }
    }
}
