package io.trainyard.device.reference;

import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ParameterSpec;

/// The update rules, element by element in double precision.
interface ReferenceOptimizer {
    static ReferenceOptimizer of(OptimizerSpec spec, ReferenceState state) {
        return switch (spec) {
            case OptimizerSpec.Sgd sgd -> learningRate -> step(sgd, state, learningRate);
        };
    }

    /// Changes all parameters by their gradients.
    void step(double learningRate);

    /// `torch.optim.SGD`: d = g + weightDecay p; v = momentum v + d; p -= learningRate v. Without momentum v is d;
    /// with `nesterov` p -= learningRate (d + momentum v).
    private static void step(OptimizerSpec.Sgd sgd, ReferenceState state, double learningRate) {
        for (ParameterSpec parameter : state.trained()) {
            float[] p = state.values(parameter);
            float[] g = state.gradient(parameter);
            float[] v = sgd.momentum() == 0 ? new float[p.length] : state.slot(parameter, "momentum_buffer");
            for (int i = 0; i < p.length; i++) {
                double d = g[i] + sgd.weightDecay() * p[i];
                v[i] = (float) (sgd.momentum() * v[i] + d);
                p[i] = (float) (p[i] - learningRate * (sgd.nesterov() ? d + sgd.momentum() * v[i] : v[i]));
            }
        }
    }
}
