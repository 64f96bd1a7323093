package io.trainyard.device.reference;

import io.trainyard.device.session.EpochCursor;
import io.trainyard.spec.EmaSpec;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.UpdateSpec;
import java.util.Arrays;
import java.util.OptionalDouble;

/// The processing of a batch's gradients: accumulates and clips them, takes the optimizer's step, and averages the
/// parameters.
final class ReferenceUpdate {
    private final UpdateSpec spec;
    private final ReferenceState state;
    private final ReferenceOptimizer optimizer;

    ReferenceUpdate(UpdateSpec spec, ReferenceState state) {
        this.spec = spec;
        this.state = state;
        this.optimizer = new ReferenceOptimizer(state);
    }

    /// With accumulation, a batch's gradients are the sum of those before it and its own share.
    void gather() {
        if (!spec.loop().accumulates()) {
            return;
        }
        for (ParameterSpec parameter : state.trained()) {
            float[] g = state.gradient(parameter);
            float[] sum = state.slot(parameter, spec.accumulated());
            for (int i = 0; i < g.length; i++) {
                sum[i] += g[i] / spec.loop().accumulateSteps();
                g[i] = sum[i];
            }
        }
    }

    double squares() {
        double squares = 0;
        for (ParameterSpec parameter : state.trained()) {
            for (float g : state.gradient(parameter)) {
                squares += (double) g * g;
            }
        }
        return squares;
    }

    /// @param coefficient factor of the gradients
    /// @param t number of the optimizer's step, from 1
    void step(EpochCursor cursor, float coefficient, long t) {
        OptionalDouble maxValue = spec.loop().maxValue();
        for (ParameterSpec parameter : state.trained()) {
            float[] g = state.gradient(parameter);
            for (int i = 0; i < g.length; i++) {
                g[i] = maxValue.isPresent() ? clamped(g[i], (float) maxValue.getAsDouble()) : g[i] * coefficient;
            }
        }
        optimizer.step(cursor, t);
        spec.loop().average().ifPresent(ema -> average(ema, t));
        if (spec.loop().accumulates()) {
            state.trained().forEach(parameter -> Arrays.fill(state.slot(parameter, spec.accumulated()), 0));
        }
    }

    /// NaN is kept.
    private static float clamped(float value, float limit) {
        return Math.max(-limit, Math.min(limit, value));
    }

    /// The first average is a copy.
    private void average(EmaSpec ema, long t) {
        for (ParameterSpec parameter : state.trained()) {
            float[] p = state.values(parameter);
            float[] average = state.slot(parameter, spec.averaged());
            for (int i = 0; i < p.length; i++) {
                average[i] = t == 1 ? p[i] : (float) (ema.decay() * average[i] + (1 - ema.decay()) * p[i]);
            }
        }
    }
}
