package io.trainyard.device;

import io.trainyard.spec.OptimizerSpec;

/// What one step of Adam or AdamW multiplies with, in step t: d = g + gradientDecay p; m += (1 - beta1) (d - m);
/// s = beta2 s + newSquare d^2; p = shrink p + minusStepSize m / (sqrt(s) / correction + epsilon). Rounded to
/// float32 where PyTorch rounds.
///
/// @param shrink AdamW's decay; 1 for Adam
/// @param approach how far m goes to d; less 1 when counted from d
/// @param fromGradient whether it is counted from d: `torch.lerp` counts from the nearer end
/// @param minusStepSize -learningRate / (1 - beta1^t)
/// @param correction sqrt(1 - beta2^t)
public record AdamFactors(
        float gradientDecay,
        float shrink,
        float approach,
        boolean fromGradient,
        float beta2,
        float newSquare,
        float minusStepSize,
        float correction,
        float epsilon) {
    /// @param learningRate of this step, whatever the optimizer's own is
    /// @param step how many steps the optimizer has made with this one: 1 for the first
    /// @throws IllegalArgumentException for another kind of optimizer
    public static AdamFactors of(OptimizerSpec optimizer, double learningRate, long step) {
        return switch (optimizer) {
            case OptimizerSpec.Adam(double _, double beta1, double beta2, double epsilon, double weightDecay) ->
                of(learningRate, beta1, beta2, epsilon, weightDecay, 0, step);
            case OptimizerSpec.AdamW(double _, double beta1, double beta2, double epsilon, double weightDecay) ->
                of(learningRate, beta1, beta2, epsilon, 0, weightDecay, step);
            case OptimizerSpec.Sgd _ -> throw new IllegalArgumentException("sgd is not Adam");
        };
    }

    private static AdamFactors of(
            double learningRate,
            double beta1,
            double beta2,
            double epsilon,
            double gradientDecay,
            double valueDecay,
            long step) {
        float weight = (float) (1 - beta1);
        boolean fromGradient = weight >= 0.5f;
        return new AdamFactors(
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
