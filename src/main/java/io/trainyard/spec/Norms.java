package io.trainyard.spec;

import io.trainyard.spec.ParameterSpec.Init;
import java.util.List;

/// Shared by normalization layers.
final class Norms {
    private Norms() {}

    /// A scale that starts at 1 and a shift that starts at 0.
    static List<ParameterSpec> weightAndBias(Shape shape) {
        return List.of(
                new ParameterSpec("weight", shape, new Init.Constant(1), true),
                new ParameterSpec("bias", shape, new Init.Constant(0), true));
    }

    /// Epsilon is above 0, also as float32, so that a zero variance does not cause a division by zero.
    static void checkEps(String field, double eps) {
        var _ = Check.between(field, eps, 1e-12, 1);
    }
}
