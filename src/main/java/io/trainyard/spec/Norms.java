package io.trainyard.spec;

import io.trainyard.spec.ParameterSpec.Init;
import java.util.List;

/// What layers that normalise share.
final class Norms {
    private Norms() {}

    /// A scale that starts at 1 and a shift that starts at 0.
    static List<ParameterSpec> weightAndBias(Shape shape) {
        return List.of(
                new ParameterSpec("weight", shape, new Init.Constant(1), true),
                new ParameterSpec("bias", shape, new Init.Constant(0), true));
    }

    /// Of what is added to a variance: above 0, so that a variance of 0 is not divided by, also as a float32.
    static void checkEps(String field, double eps) {
        var _ = Check.between(field, eps, 1e-12, 1);
    }
}
