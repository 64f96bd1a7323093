package io.trainyard.device.host;

import io.trainyard.spec.OptimizerSpec;
import java.lang.foreign.MemorySegment;
import java.util.List;
import jdk.incubator.vector.FloatVector;

/// `torch.optim.SGD`, with its fused multiplications: d = g + weightDecay p; v = momentum v + d; p -= learningRate v.
/// Without momentum v is d; with `nesterov` p -= learningRate (d + momentum v).
record SgdUpdate(float minusLearningRate, float momentum, boolean nesterov, float weightDecay)
        implements ParameterUpdate {
    SgdUpdate(OptimizerSpec.Sgd spec, double learningRate) {
        this((float) -learningRate, (float) spec.momentum(), spec.nesterov(), (float) spec.weightDecay());
    }

    @Override
    public void apply(MemorySegment values, MemorySegment gradient, List<MemorySegment> state) {
        if (state.isEmpty()) {
            applyPlain(values, gradient);
        } else if (nesterov) {
            applyNesterov(values, gradient, state.getFirst());
        } else {
            applyMomentum(values, gradient, state.getFirst());
        }
    }

    private void applyPlain(MemorySegment values, MemorySegment gradient) {
        FloatVector rate = Lanes.all(minusLearningRate);
        FloatVector decay = Lanes.all(weightDecay);
        long end = Lanes.end(values);
        for (long at = 0; at < end; at += Lanes.BYTES) {
            FloatVector p = Lanes.load(values, at);
            FloatVector d = decay.fma(p, Lanes.load(gradient, at));
            Lanes.store(rate.fma(d, p), values, at);
        }
        for (long at = end; at < values.byteSize(); at += Float.BYTES) {
            float p = Lanes.get(values, at);
            float d = Math.fma(weightDecay, p, Lanes.get(gradient, at));
            Lanes.set(values, at, Math.fma(minusLearningRate, d, p));
        }
    }

    private void applyMomentum(MemorySegment values, MemorySegment gradient, MemorySegment buffer) {
        FloatVector rate = Lanes.all(minusLearningRate);
        FloatVector decay = Lanes.all(weightDecay);
        long end = Lanes.end(values);
        for (long at = 0; at < end; at += Lanes.BYTES) {
            FloatVector p = Lanes.load(values, at);
            FloatVector d = decay.fma(p, Lanes.load(gradient, at));
            FloatVector v = Lanes.load(buffer, at).mul(momentum).add(d);
            Lanes.store(v, buffer, at);
            Lanes.store(rate.fma(v, p), values, at);
        }
        for (long at = end; at < values.byteSize(); at += Float.BYTES) {
            float p = Lanes.get(values, at);
            float d = Math.fma(weightDecay, p, Lanes.get(gradient, at));
            float v = momentum * Lanes.get(buffer, at) + d;
            Lanes.set(buffer, at, v);
            Lanes.set(values, at, Math.fma(minusLearningRate, v, p));
        }
    }

    private void applyNesterov(MemorySegment values, MemorySegment gradient, MemorySegment buffer) {
        FloatVector rate = Lanes.all(minusLearningRate);
        FloatVector decay = Lanes.all(weightDecay);
        FloatVector ahead = Lanes.all(momentum);
        long end = Lanes.end(values);
        for (long at = 0; at < end; at += Lanes.BYTES) {
            FloatVector p = Lanes.load(values, at);
            FloatVector d = decay.fma(p, Lanes.load(gradient, at));
            FloatVector v = Lanes.load(buffer, at).mul(momentum).add(d);
            Lanes.store(v, buffer, at);
            Lanes.store(rate.fma(ahead.fma(v, d), p), values, at);
        }
        for (long at = end; at < values.byteSize(); at += Float.BYTES) {
            float p = Lanes.get(values, at);
            float d = Math.fma(weightDecay, p, Lanes.get(gradient, at));
            float v = momentum * Lanes.get(buffer, at) + d;
            Lanes.set(buffer, at, v);
            Lanes.set(values, at, Math.fma(minusLearningRate, Math.fma(momentum, v, d), p));
        }
    }
}
