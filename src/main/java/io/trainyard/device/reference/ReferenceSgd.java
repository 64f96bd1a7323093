package io.trainyard.device.reference;

import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.ParameterSpec;

/// `torch.optim.SGD`: d = g + weightDecay p; v = momentum v + d; p -= learningRate v. Without momentum v is d.
final class ReferenceSgd {
    private final OptimizerSpec.Sgd spec;
    private final ReferenceState state;

    ReferenceSgd(OptimizerSpec.Sgd spec, ReferenceState state) {
        this.spec = spec;
        this.state = state;
    }

    void step() {
        for (ParameterSpec parameter : state.trained()) {
            float[] p = state.values(parameter);
            float[] g = state.gradient(parameter);
            float[] v = spec.momentum() == 0 ? new float[p.length] : state.momentum(parameter);
            for (int i = 0; i < p.length; i++) {
                double d = g[i] + spec.weightDecay() * p[i];
                v[i] = (float) (spec.momentum() * v[i] + d);
                p[i] = (float) (p[i] - spec.learningRate() * v[i]);
            }
        }
    }
}
