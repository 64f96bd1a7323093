package io.trainyard.device.host;

import io.trainyard.device.session.UpdateRule;
import java.lang.foreign.MemorySegment;
import java.util.List;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

final class RmspropUpdate extends ParameterUpdate {
    private final float minusLearningRate;
    private final float momentum;
    private final boolean centered;
    private final float approach;
    private final boolean fromGradient;
    private final float alpha;
    private final float newSquare;
    private final float epsilon;
    private final float weightDecay;

    RmspropUpdate(UpdateRule.Rmsprop rule) {
        minusLearningRate = rule.minusLearningRate();
        momentum = rule.momentum();
        centered = rule.centered();
        approach = rule.mean().approach();
        fromGradient = rule.mean().fromEnd();
        alpha = rule.alpha();
        newSquare = rule.newSquare();
        epsilon = rule.epsilon();
        weightDecay = rule.weightDecay();
    }

    private FloatVector square(FloatVector s, FloatVector d) {
        return d.mul(newSquare).fma(d, s.mul(alpha));
    }

    private FloatVector mean(FloatVector a, FloatVector d, VectorMask<Float> ends) {
        return all(approach).fma(d.sub(a), a.blend(d, ends));
    }

    private static FloatVector variance(FloatVector s, FloatVector a) {
        return a.neg().fma(a, s);
    }

    private FloatVector root(FloatVector square) {
        return square.sqrt().add(epsilon);
    }

    private FloatVector velocity(FloatVector v, FloatVector d, FloatVector root) {
        return v.mul(momentum).add(d.div(root));
    }

    private FloatVector moved(FloatVector p, FloatVector d, FloatVector root) {
        return p.add(d.mul(minusLearningRate).div(root));
    }

    private FloatVector moved(FloatVector p, FloatVector v) {
        return all(minusLearningRate).fma(v, p);
    }

    @Override
    void applyWhole(MemorySegment values, MemorySegment gradient, List<MemorySegment> state, long end) {
        MemorySegment squares = state.getFirst();
        boolean moving = state.size() > (centered ? 2 : 1);
        if (centered && moving) {
            bothVectors(values, gradient, state, end);
        } else if (centered) {
            centeredVectors(values, gradient, squares, state.get(1), end);
        } else if (moving) {
            momentumVectors(values, gradient, squares, state.get(1), end);
        } else {
            plainVectors(values, gradient, squares, end);
        }
    }

    private void plainVectors(MemorySegment values, MemorySegment gradient, MemorySegment squares, long end) {
        for (long i = 0; i < end; i += BYTES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(weightDecay, p, load(gradient, i));
            FloatVector s = square(load(squares, i), d);
            store(s, squares, i);
            store(moved(p, d, root(s)), values, i);
        }
    }

    private void momentumVectors(
            MemorySegment values, MemorySegment gradient, MemorySegment squares, MemorySegment buffer, long end) {
        for (long i = 0; i < end; i += BYTES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(weightDecay, p, load(gradient, i));
            FloatVector s = square(load(squares, i), d);
            FloatVector v = velocity(load(buffer, i), d, root(s));
            store(s, squares, i);
            store(v, buffer, i);
            store(moved(p, v), values, i);
        }
    }

    private void centeredVectors(
            MemorySegment values, MemorySegment gradient, MemorySegment squares, MemorySegment means, long end) {
        VectorMask<Float> ends = SPECIES.maskAll(fromGradient);
        for (long i = 0; i < end; i += BYTES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(weightDecay, p, load(gradient, i));
            FloatVector s = square(load(squares, i), d);
            FloatVector a = mean(load(means, i), d, ends);
            store(s, squares, i);
            store(a, means, i);
            store(moved(p, d, root(variance(s, a))), values, i);
        }
    }

    private void bothVectors(MemorySegment values, MemorySegment gradient, List<MemorySegment> state, long end) {
        MemorySegment squares = state.get(0);
        MemorySegment buffer = state.get(1);
        MemorySegment means = state.get(2);
        VectorMask<Float> ends = SPECIES.maskAll(fromGradient);
        for (long i = 0; i < end; i += BYTES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(weightDecay, p, load(gradient, i));
            FloatVector s = square(load(squares, i), d);
            FloatVector a = mean(load(means, i), d, ends);
            FloatVector v = velocity(load(buffer, i), d, root(variance(s, a)));
            store(s, squares, i);
            store(a, means, i);
            store(v, buffer, i);
            store(moved(p, v), values, i);
        }
    }

    @Override
    void applyWhole(float[] values, float[] gradient, List<float[]> state, int from, int to) {
        float[] squares = state.getFirst();
        boolean moving = state.size() > (centered ? 2 : 1);
        if (centered && moving) {
            bothVectors(values, gradient, state, from, to);
        } else if (centered) {
            centeredVectors(values, gradient, squares, state.get(1), from, to);
        } else if (moving) {
            momentumVectors(values, gradient, squares, state.get(1), from, to);
        } else {
            plainVectors(values, gradient, squares, from, to);
        }
    }

    private void plainVectors(float[] values, float[] gradient, float[] squares, int from, int to) {
        for (int i = from; i < to; i += LANES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(weightDecay, p, load(gradient, i));
            FloatVector s = square(load(squares, i), d);
            s.intoArray(squares, i);
            moved(p, d, root(s)).intoArray(values, i);
        }
    }

    private void momentumVectors(float[] values, float[] gradient, float[] squares, float[] buffer, int from, int to) {
        for (int i = from; i < to; i += LANES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(weightDecay, p, load(gradient, i));
            FloatVector s = square(load(squares, i), d);
            FloatVector v = velocity(load(buffer, i), d, root(s));
            s.intoArray(squares, i);
            v.intoArray(buffer, i);
            moved(p, v).intoArray(values, i);
        }
    }

    private void centeredVectors(float[] values, float[] gradient, float[] squares, float[] means, int from, int to) {
        VectorMask<Float> ends = SPECIES.maskAll(fromGradient);
        for (int i = from; i < to; i += LANES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(weightDecay, p, load(gradient, i));
            FloatVector s = square(load(squares, i), d);
            FloatVector a = mean(load(means, i), d, ends);
            s.intoArray(squares, i);
            a.intoArray(means, i);
            moved(p, d, root(variance(s, a))).intoArray(values, i);
        }
    }

    private void bothVectors(float[] values, float[] gradient, List<float[]> state, int from, int to) {
        float[] squares = state.get(0);
        float[] buffer = state.get(1);
        float[] means = state.get(2);
        VectorMask<Float> ends = SPECIES.maskAll(fromGradient);
        for (int i = from; i < to; i += LANES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(weightDecay, p, load(gradient, i));
            FloatVector s = square(load(squares, i), d);
            FloatVector a = mean(load(means, i), d, ends);
            FloatVector v = velocity(load(buffer, i), d, root(variance(s, a)));
            s.intoArray(squares, i);
            a.intoArray(means, i);
            v.intoArray(buffer, i);
            moved(p, v).intoArray(values, i);
        }
    }
}
