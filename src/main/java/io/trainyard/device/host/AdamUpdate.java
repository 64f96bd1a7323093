package io.trainyard.device.host;

import java.lang.foreign.MemorySegment;
import java.util.List;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/// `torch.optim.Adam` and `torch.optim.AdamW`, in step t: d = g + gradientDecay p; m += (1 - beta1) (d - m); s =
/// beta2 s + (1 - beta2) d^2; p = shrink p - learningRate / (1 - beta1^t) m / (sqrt(s) / sqrt(1 - beta2^t) +
/// epsilon). Adam's weight decay is the first term's, AdamW's is the factor of p.
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

    /// @param gradientDecay 0 for AdamW
    /// @param valueDecay 0 for Adam
    AdamUpdate(
            double learningRate,
            double beta1,
            double beta2,
            double epsilon,
            double gradientDecay,
            double valueDecay,
            long step) {
        this.gradientDecay = (float) gradientDecay;
        this.shrink = (float) (1 - learningRate * valueDecay);
        // torch.lerp counts from the nearer end.
        float weight = (float) (1 - beta1);
        this.fromGradient = weight >= 0.5f;
        this.approach = fromGradient ? weight - 1 : weight;
        this.beta2 = (float) beta2;
        this.newSquare = (float) (1 - beta2);
        this.minusStepSize = (float) (-learningRate / (1 - StrictMath.pow(beta1, step)));
        this.correction = (float) Math.sqrt(1 - StrictMath.pow(beta2, step));
        this.epsilon = (float) epsilon;
    }

    private FloatVector decayed(FloatVector p, FloatVector g) {
        return all(gradientDecay).fma(p, g);
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
    void applyVectors(MemorySegment values, MemorySegment gradient, List<MemorySegment> state, long end) {
        applyVectors(values, gradient, state.get(0), state.get(1), end);
    }

    private void applyVectors(
            MemorySegment values, MemorySegment gradient, MemorySegment means, MemorySegment squares, long end) {
        VectorMask<Float> ends = SPECIES.maskAll(fromGradient);
        for (long i = 0; i < end; i += BYTES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(p, load(gradient, i));
            FloatVector m = mean(load(means, i), d, ends);
            FloatVector s = square(load(squares, i), d);
            store(m, means, i);
            store(s, squares, i);
            store(moved(p, m, s), values, i);
        }
    }

    @Override
    void applyVectors(float[] values, float[] gradient, List<float[]> state, int from, int to) {
        applyVectors(values, gradient, state.get(0), state.get(1), from, to);
    }

    private void applyVectors(float[] values, float[] gradient, float[] means, float[] squares, int from, int to) {
        VectorMask<Float> ends = SPECIES.maskAll(fromGradient);
        for (int i = from; i < to; i += LANES) {
            FloatVector p = load(values, i);
            FloatVector d = decayed(p, load(gradient, i));
            FloatVector m = mean(load(means, i), d, ends);
            FloatVector s = square(load(squares, i), d);
            m.intoArray(means, i);
            s.intoArray(squares, i);
            moved(p, m, s).intoArray(values, i);
        }
    }
}
