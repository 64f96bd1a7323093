package io.trainyard.device.session;

import io.trainyard.spec.OptimizerSpec;

/// The update formula of an optimizer step with its coefficients, for a parameter p and its gradient g, in float32
/// with PyTorch's operations. Coefficients are rounded to float32 where PyTorch rounds.
public sealed interface UpdateRule {
    /// @param optimizer with the momentum of this step
    /// @param learningRate of this step, instead of the optimizer's own
    /// @param step of the optimizer, from 1
    static UpdateRule of(OptimizerSpec optimizer, double learningRate, long step) {
        return switch (optimizer) {
            case OptimizerSpec.Sgd sgd -> Sgd.of(sgd, learningRate, step);
            case OptimizerSpec.Adam adam -> Adam.of(adam, 0, learningRate, step);
            case OptimizerSpec.AdamW adam ->
                Adam.of(
                        new OptimizerSpec.Adam(0, adam.beta1(), adam.beta2(), adam.epsilon(), 0, adam.amsgrad()),
                        adam.weightDecay(),
                        learningRate,
                        step);
            case OptimizerSpec.Rmsprop rmsprop -> Rmsprop.of(rmsprop, learningRate);
        };
    }

    /// `torch.optim.SGD`, with its fused multiplications: d = g + weightDecay p; v = momentum v + newGradient
    /// d; p += minusLearningRate v. Without momentum v is d; with `nesterov` p += minusLearningRate (d +
    /// momentum v).
    ///
    /// @param newGradient 1 - dampening; 1 in the first step
    record Sgd(float minusLearningRate, float momentum, float newGradient, boolean nesterov, float weightDecay)
            implements UpdateRule {
        private static Sgd of(OptimizerSpec.Sgd sgd, double learningRate, long step) {
            return new Sgd(
                    (float) -learningRate,
                    (float) sgd.momentum(),
                    step == 1 ? 1 : (float) (1 - sgd.dampening()),
                    sgd.nesterov(),
                    (float) sgd.weightDecay());
        }
    }

    /// `torch.optim.Adam` and `torch.optim.AdamW`: d = g + gradientDecay p; m += (1 - beta1) (d - m); s = beta2 s +
    /// newSquare d^2; p = shrink p + minusStepSize m / (sqrt(s) / correction + epsilon).
    ///
    /// @param shrink AdamW's decay; 1 for Adam
    /// @param mean interpolates m towards d
    /// @param minusStepSize -learningRate / (1 - beta1^t), in step t
    /// @param correction sqrt(1 - beta2^t)
    /// @param amsgrad whether the last formula uses the largest s so far instead of s
    record Adam(
            float gradientDecay,
            float shrink,
            Lerp mean,
            float beta2,
            float newSquare,
            float minusStepSize,
            float correction,
            float epsilon,
            boolean amsgrad)
            implements UpdateRule {
        private static Adam of(OptimizerSpec.Adam adam, double valueDecay, double learningRate, long step) {
            return new Adam(
                    (float) adam.weightDecay(),
                    (float) (1 - learningRate * valueDecay),
                    Lerp.of(1 - adam.beta1()),
                    (float) adam.beta2(),
                    (float) (1 - adam.beta2()),
                    (float) (-learningRate / (1 - StrictMath.pow(adam.beta1(), step))),
                    (float) Math.sqrt(1 - StrictMath.pow(adam.beta2(), step)),
                    (float) adam.epsilon(),
                    adam.amsgrad());
        }
    }

    /// `torch.optim.RMSprop`: d = g + weightDecay p; s = alpha s + newSquare d^2; p += minusLearningRate d /
    /// (sqrt(s) + epsilon). If `centered`, a += (1 - alpha) (d - a), and the root is that of s - a^2. With
    /// momentum, v = momentum v + d / (root + epsilon); p += minusLearningRate v.
    ///
    /// @param mean interpolates a towards d
    record Rmsprop(
            float minusLearningRate,
            float momentum,
            boolean centered,
            Lerp mean,
            float alpha,
            float newSquare,
            float epsilon,
            float weightDecay)
            implements UpdateRule {
        private static Rmsprop of(OptimizerSpec.Rmsprop rmsprop, double learningRate) {
            return new Rmsprop(
                    (float) -learningRate,
                    (float) rmsprop.momentum(),
                    rmsprop.centered(),
                    Lerp.of(1 - rmsprop.alpha()),
                    (float) rmsprop.alpha(),
                    (float) (1 - rmsprop.alpha()),
                    (float) rmsprop.epsilon(),
                    (float) rmsprop.weightDecay());
        }
    }

    /// `torch.lerp` from m to d: m + approach (d - m), or, from the nearer end, d + approach (d - m).
    ///
    /// @param approach the weight; minus 1 if `fromEnd`
    /// @param fromEnd whether the interpolation starts from d
    record Lerp(float approach, boolean fromEnd) {
        private static Lerp of(double weight) {
            float rounded = (float) weight;
            boolean fromEnd = rounded >= 0.5f;
            return new Lerp(fromEnd ? rounded - 1 : rounded, fromEnd);
        }
    }
}
