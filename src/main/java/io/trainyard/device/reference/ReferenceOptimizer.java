package io.trainyard.device.reference;

import io.trainyard.device.session.EpochCursor;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ParameterSpec;

/// The update rules, element by element in double precision.
final class ReferenceOptimizer {
    private final ReferenceState state;

    ReferenceOptimizer(ReferenceState state) {
        this.state = state;
    }

    /// Updates all parameters by their gradients.
    ///
    /// @param cursor at this step
    /// @param t number of the optimizer's step, from 1
    void step(EpochCursor cursor, long t) {
        for (ParameterSpec parameter : state.trained()) {
            double learningRate = cursor.learningRate(parameter.group());
            switch (cursor.optimizer(parameter.group())) {
                case OptimizerSpec.Sgd sgd -> step(parameter, sgd, learningRate, t);
                case OptimizerSpec.Adam adam -> step(parameter, adam, 0, learningRate, t);
                case OptimizerSpec.AdamW adam ->
                    step(
                            parameter,
                            new OptimizerSpec.Adam(0, adam.beta1(), adam.beta2(), adam.epsilon(), 0, adam.amsgrad()),
                            adam.weightDecay(),
                            learningRate,
                            t);
                case OptimizerSpec.Rmsprop rmsprop -> step(parameter, rmsprop, learningRate);
            }
        }
    }

    /// `torch.optim.SGD`: d = g + weightDecay p; v = momentum v + (1 - dampening) d, except v = d in the first
    /// step; p -= learningRate v. Without momentum v is d; with `nesterov` p -= learningRate (d + momentum v).
    private void step(ParameterSpec parameter, OptimizerSpec.Sgd sgd, double learningRate, long t) {
        float[] p = state.values(parameter);
        float[] g = state.gradient(parameter);
        float[] v = sgd.momentum() == 0 ? new float[p.length] : state.slot(parameter, "momentum_buffer");
        double newGradient = sgd.momentum() == 0 || t == 1 ? 1 : 1 - sgd.dampening();
        for (int i = 0; i < p.length; i++) {
            double d = decayed(g[i], sgd.weightDecay(), p[i]);
            v[i] = (float) (sgd.momentum() * v[i] + newGradient * d);
            p[i] = (float) (p[i] - learningRate * (sgd.nesterov() ? d + sgd.momentum() * v[i] : v[i]));
        }
    }

    /// `torch.optim.Adam` with weight decay in the gradient, and `torch.optim.AdamW` with weight decay of the
    /// values.
    private void step(
            ParameterSpec parameter, OptimizerSpec.Adam adam, double valueDecay, double learningRate, long t) {
        double meanCorrection = 1 - Math.pow(adam.beta1(), t);
        double squareCorrection = 1 - Math.pow(adam.beta2(), t);
        float[] p = state.values(parameter);
        float[] g = state.gradient(parameter);
        float[] m = state.slot(parameter, "exp_avg");
        float[] s = state.slot(parameter, "exp_avg_sq");
        float[] largest = adam.amsgrad() ? state.slot(parameter, "max_exp_avg_sq") : s;
        for (int i = 0; i < p.length; i++) {
            double d = decayed(g[i], adam.weightDecay(), p[i]);
            m[i] = (float) (adam.beta1() * m[i] + (1 - adam.beta1()) * d);
            s[i] = (float) (adam.beta2() * s[i] + (1 - adam.beta2()) * d * d);
            largest[i] = Math.max(largest[i], s[i]);
            double direction = m[i] / meanCorrection / (Math.sqrt(largest[i] / squareCorrection) + adam.epsilon());
            p[i] = (float) (p[i] * (1 - learningRate * valueDecay) - learningRate * direction);
        }
    }

    /// `torch.optim.RMSprop`.
    private void step(ParameterSpec parameter, OptimizerSpec.Rmsprop rmsprop, double learningRate) {
        double alpha = rmsprop.alpha();
        float[] p = state.values(parameter);
        float[] g = state.gradient(parameter);
        float[] s = state.slot(parameter, "square_avg");
        float[] v = rmsprop.momentum() == 0 ? new float[p.length] : state.slot(parameter, "momentum_buffer");
        float[] mean = rmsprop.centered() ? state.slot(parameter, "grad_avg") : new float[p.length];
        for (int i = 0; i < p.length; i++) {
            double d = decayed(g[i], rmsprop.weightDecay(), p[i]);
            s[i] = (float) (alpha * s[i] + (1 - alpha) * d * d);
            mean[i] = rmsprop.centered() ? (float) (alpha * mean[i] + (1 - alpha) * d) : 0;
            double root = Math.sqrt(s[i] - (double) mean[i] * mean[i]) + rmsprop.epsilon();
            v[i] = (float) (rmsprop.momentum() * v[i] + d / root);
            p[i] = (float) (p[i] - learningRate * v[i]);
        }
    }

    /// Without weight decay the parameter is not used: 0 times infinity would be NaN.
    private static double decayed(double gradient, double weightDecay, double parameter) {
        return weightDecay == 0 ? gradient : gradient + weightDecay * parameter;
    }
}
