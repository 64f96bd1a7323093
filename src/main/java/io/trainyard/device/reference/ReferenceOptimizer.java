package io.trainyard.device.reference;

import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ParameterSpec;

/// The update rules, element by element in double precision.
interface ReferenceOptimizer {
    static ReferenceOptimizer of(OptimizerSpec spec, ReferenceState state) {
        return switch (spec) {
            case OptimizerSpec.Sgd sgd -> (learningRate, _) -> step(sgd, state, learningRate);
            case OptimizerSpec.Adam adam ->
                (learningRate, t) -> step(adam, adam.weightDecay(), 0, state, learningRate, t);
            case OptimizerSpec.AdamW(double rate, double beta1, double beta2, double epsilon, double decay) -> {
                var adam = new OptimizerSpec.Adam(rate, beta1, beta2, epsilon, 0);
                yield (learningRate, t) -> step(adam, 0, decay, state, learningRate, t);
            }
        };
    }

    /// Changes all parameters by their gradients.
    ///
    /// @param t how many steps the optimizer has made with this one
    void step(double learningRate, long t);

    /// `torch.optim.SGD`: d = g + weightDecay p; v = momentum v + d; p -= learningRate v. Without momentum v is d;
    /// with `nesterov` p -= learningRate (d + momentum v).
    private static void step(OptimizerSpec.Sgd sgd, ReferenceState state, double learningRate) {
        for (ParameterSpec parameter : state.trained()) {
            float[] p = state.values(parameter);
            float[] g = state.gradient(parameter);
            float[] v = sgd.momentum() == 0 ? new float[p.length] : state.slot(parameter, "momentum_buffer");
            for (int i = 0; i < p.length; i++) {
                double d = decayed(g[i], sgd.weightDecay(), p[i]);
                v[i] = (float) (sgd.momentum() * v[i] + d);
                p[i] = (float) (p[i] - learningRate * (sgd.nesterov() ? d + sgd.momentum() * v[i] : v[i]));
            }
        }
    }

    /// `torch.optim.Adam` with the weight decay in the gradient, and `torch.optim.AdamW` with that of the values.
    private static void step(
            OptimizerSpec.Adam adam,
            double gradientDecay,
            double valueDecay,
            ReferenceState state,
            double learningRate,
            long t) {
        double meanCorrection = 1 - Math.pow(adam.beta1(), t);
        double squareCorrection = 1 - Math.pow(adam.beta2(), t);
        for (ParameterSpec parameter : state.trained()) {
            float[] p = state.values(parameter);
            float[] g = state.gradient(parameter);
            float[] m = state.slot(parameter, "exp_avg");
            float[] s = state.slot(parameter, "exp_avg_sq");
            for (int i = 0; i < p.length; i++) {
                double d = decayed(g[i], gradientDecay, p[i]);
                m[i] = (float) (adam.beta1() * m[i] + (1 - adam.beta1()) * d);
                s[i] = (float) (adam.beta2() * s[i] + (1 - adam.beta2()) * d * d);
                double direction = m[i] / meanCorrection / (Math.sqrt(s[i] / squareCorrection) + adam.epsilon());
                p[i] = (float) (p[i] * (1 - learningRate * valueDecay) - learningRate * direction);
            }
        }
    }

    /// Without weight decay the parameter plays no part: 0 times an infinite one would be NaN.
    private static double decayed(double gradient, double weightDecay, double parameter) {
        return weightDecay == 0 ? gradient : gradient + weightDecay * parameter;
    }
}
