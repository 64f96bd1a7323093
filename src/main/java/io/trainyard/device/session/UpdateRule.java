package io.trainyard.device.session;

import io.trainyard.spec.OptimizerSpec;

/// The formula of one step of an optimizer, with its numbers: how a parameter p follows its gradient g, in float32 with
/// PyTorch's operations. Numbers are rounded to float32 where PyTorch rounds.
public sealed interface UpdateRule {
    /// @param learningRate of this step, whatever the optimizer's own is
    /// @param step how many steps the optimizer has made with this one: 1 for the first
    static UpdateRule of(OptimizerSpec optimizer, double learningRate, long step) {
        return switch (optimizer) {
            case OptimizerSpec.Sgd(double _, double momentum, boolean nesterov, double weightDecay) ->
                new Sgd((float) -learningRate, (float) momentum, nesterov, (float) weightDecay);
            case OptimizerSpec.Adam(double _, double beta1, double beta2, double epsilon, double weightDecay) ->
                Adam.of(learningRate, beta1, beta2, epsilon, weightDecay, 0, step);
            case OptimizerSpec.AdamW(double _, double beta1, double beta2, double epsilon, double weightDecay) ->
                Adam.of(learningRate, beta1, beta2, epsilon, 0, weightDecay, step);
        };
    }

    /// `torch.optim.SGD`, with its fused multiplications: d = g + weightDecay p; v = momentum v + d; p +=
    /// minusLearningRate v. Without momentum v is d; with `nesterov` p += minusLearningRate (d + momentum v).
    record Sgd(float minusLearningRate, float momentum, boolean nesterov, float weightDecay) implements UpdateRule {}

    /// `torch.optim.Adam` and `torch.optim.AdamW`: d = g + gradientDecay p; m += (1 - beta1) (d - m); s = beta2 s +
    /// newSquare d^2; p = shrink p + minusStepSize m / (sqrt(s) / correction + epsilon).
    ///
    /// @param shrink AdamW's decay; 1 for Adam
    /// @param approach how far m goes to d; less 1 when counted from d
    /// @param fromGradient whether it is counted from d: `torch.lerp` counts from the nearer end
    /// @param minusStepSize -learningRate / (1 - beta1^t), in step t
    /// @param correction sqrt(1 - beta2^t)
    record Adam(
            float gradientDecay,
            float shrink,
            float approach,
            boolean fromGradient,
            float beta2,
            float newSquare,
            float minusStepSize,
            float correction,
            float epsilon)
            implements UpdateRule {
        private static Adam of(
                double learningRate,
                double beta1,
                double beta2,
                double epsilon,
                double gradientDecay,
                double valueDecay,
                long step) {
            float weight = (float) (1 - beta1);
            boolean fromGradient = weight >= 0.5f;
            return new Adam(
                    (float) gradientDecay,
                    (float) (1 - learningRate * valueDecay),
                    fromGradient ? weight - 1 : weight,
                    fromGradient,
                    (float) beta2,
                    (float) (1 - beta2),
                    (float) (-learningRate / (1 - StrictMath.pow(beta1, step))),
                    (float) Math.sqrt(1 - StrictMath.pow(beta2, step)),
                    (float) epsilon);
        }
    }
}
