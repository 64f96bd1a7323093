package io.trainyard.device.reference;

import io.trainyard.device.session.EpochCursor;
import io.trainyard.spec.EmaSpec;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.UpdateSpec;
import java.util.Arrays;
import java.util.OptionalDouble;

/// What a loop does with the gradients of a batch: accumulates them, clips them, has the optimizer take its
/// step and averages what it has made.
final class ReferenceUpdate {
    private final UpdateSpec spec;
    private final ReferenceState state;
    private final ReferenceOptimizer optimizer;

    ReferenceUpdate(UpdateSpec spec, ReferenceState state) {
        this.spec = spec;
        this.state = state;
        this.optimizer = new ReferenceOptimizer(state);
    }

    /// With accumulation a batch's gradients are what those before it and its own share come to.
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

    /// @param coefficient what the gradients are multiplied by
    /// @param t how many steps the optimizer has made with this one
    void step(EpochCursor cursor, float coefficient, long t) {
        OptionalDouble maxValue = spec.loop().maxValue();
        for (ParameterSpec parameter : state.trained()) {
            float[] g = state.gradient(parameter);
            for (int i = 0; i < g.length; i++) {
                g[i] = maxValue.isPresent() ? clamped(g[i], (float) maxValue.getAsDouble()) : g[i] * coefficient;
            }
        }
        optimizer.step(cursor.optimizer(), cursor.learningRate(), t);
        spec.loop().average().ifPresent(ema -> average(ema, t));
        if (spec.loop().accumulates()) {
            state.trained().forEach(parameter -> Arrays.fill(state.slot(parameter, spec.accumulated()), 0));
        }
    }

    /// NaN stays.
    private static float clamped(float value, float limit) {
        return Math.max(-limit, Math.min(limit, value));
    }

    /// The first is a copy.
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
