package io.trainyard.device.reference;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Device;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.spec.ParameterSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// Finite differences: a gradient is the change of the loss per change of a parameter.
final class Slopes {
    /// If a ReLU or a pooling window switches within a large step, a small step or the slope on one side is
    /// right. If rounding spoils the small step, the large one is right. A wrong gradient fails all of them.
    /// The search ends at the first match.
    private static final double[] STEPS = {0x1p-8, 0x1p-10, 0x1p-12, 0x1p-14};

    /// A loss of about 1 is rounded by up to 2^-25; divided by the smallest step this is 1e-3.
    private static final double ABSOLUTE = 1e-3;

    private static final double RELATIVE = 1e-2;
    private static final int ELEMENTS_TRIED = 12;

    private Slopes() {}

    /// @param workload with an optimizer that subtracts the plain gradient
    static void check(Device device, Workload workload) {
        SessionState state = CheckWorkload.state(workload);
        try (LearningSession session = device.open(workload)) {
            double here = lossAt(session, workload, state);
            SessionState after = session.save();
            for (ParameterSpec parameter : workload.network().parameters()) {
                if (parameter.trained()) {
                    float[] before = state.model().floats(parameter.name(), parameter.shape());
                    float[] stepped = after.model().floats(parameter.name(), parameter.shape());
                    for (int i :
                            new Random(6).ints(ELEMENTS_TRIED, 0, before.length).toArray()) {
                        double gradient = (double) before[i] - stepped[i];
                        List<Double> slopes = new ArrayList<>();
                        assertThat(Arrays.stream(STEPS).anyMatch(step -> {
                                    List<Double> found = slopes(session, workload, state, here, parameter, i, step);
                                    slopes.addAll(found);
                                    return found.stream().anyMatch(slope -> isNear(gradient, slope));
                                }))
                                .as("slopes by %s[%d], whose gradient is %s: %s", parameter.name(), i, gradient, slopes)
                                .isTrue();
                    }
                }
            }
        }
    }

    private static boolean isNear(double gradient, double slope) {
        return Math.abs(gradient - slope) < ABSOLUTE + RELATIVE * Math.abs(slope);
    }

    /// @param here the loss at `state`
    /// @return the slopes above and below
    private static List<Double> slopes(
            LearningSession session,
            Workload workload,
            SessionState state,
            double here,
            ParameterSpec parameter,
            int element,
            double step) {
        double above = lossAt(session, workload, moved(state, parameter, element, (float) step));
        double below = lossAt(session, workload, moved(state, parameter, element, (float) -step));
        return List.of((above - below) / (2 * step), (above - here) / step, (here - below) / step);
    }

    private static double lossAt(LearningSession session, Workload workload, SessionState state) {
        session.load(state);
        session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
        return session.advance(1)[0];
    }

    private static SessionState moved(SessionState state, ParameterSpec parameter, int element, float by) {
        Map<String, Tensor> tensors = new LinkedHashMap<>(state.model().tensors());
        float[] values =
                state.model().floats(parameter.name(), parameter.shape()).clone();
        values[element] += by;
        tensors.put(parameter.name(), new Tensor.Floats(parameter.shape(), values));
        return new SessionState(new Parameters(tensors), state.optimizer());
    }
}
