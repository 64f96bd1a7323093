package io.trainyard.device.check;

import io.trainyard.device.Device;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Precision;
import java.util.function.Function;

/// Checks a layer case in a precision.
///
/// In lower precisions, rounding decides at random on which side of a ReLU or pooling boundary some values are,
/// and occasionally the gradients of a small network differ by more than any sensible tolerance. So a case is
/// tried with several random states, and one must pass: chance affects only some of them, an error all.
final class LayerCheck {
    private static final int STATES = 5;

    private LayerCheck() {}

    static DeviceCheck training(Device device, Precision precision, LayerCase row) {
        Workload workload = workload(precision, row, CheckWorkload.MOMENTUM);
        return check(
                "forward and training", row, workload, state -> ReferenceComparison.training(device, workload, state));
    }

    static DeviceCheck gradients(Device device, Precision precision, LayerCase row) {
        Workload workload = workload(precision, row, CheckWorkload.PLAIN);
        return check("gradients", row, workload, state -> ReferenceComparison.gradients(device, workload, state));
    }

    private static Workload workload(Precision precision, LayerCase row, OptimizerSpec optimizer) {
        return CheckWorkload.of(row, optimizer).withPrecision(precision);
    }

    private static DeviceCheck check(
            String what, LayerCase row, Workload workload, Function<SessionState, Comparison> comparison) {
        int states = workload.precision() == Precision.FP32 ? 1 : STATES;
        return new DeviceCheck(CheckGroup.LAYERS, "%s, %s, %s".formatted(workload.precision(), row, what), () -> {
            CheckOutcome outcome = CheckOutcome.of(comparison.apply(CheckWorkload.state(workload)));
            for (int i = 1; i < states && outcome.failed(); i++) {
                SessionState state = CheckWorkload.state(workload, CheckWorkload.STATE_SEED + i);
                outcome = CheckOutcome.of(comparison.apply(state));
            }
            return outcome;
        });
    }
}
