package io.trainyard.device.check;

import io.trainyard.device.Device;
import io.trainyard.device.Devices;
import io.trainyard.device.Evaluation;
import io.trainyard.device.LearningSession;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.Precision;
import java.util.List;

/// Compares a device's results, in the workload's precision, with those of the reference: plain float32 loops
/// that define the correct result.
public final class ReferenceComparison {
    private ReferenceComparison() {}

    public static Device reference() {
        return Devices.open(new DeviceSpec("reference"));
    }

    private static LearningSession openReference(Workload workload) {
        return reference().open(workload.withPrecision(Precision.FP32));
    }

    public static Comparison gradients(Device device, Workload workload) {
        return gradients(device, workload, CheckWorkload.state(workload));
    }

    static Comparison gradients(Device device, Workload workload, SessionState state) {
        Comparison comparison = Comparison.of(workload.precision());
        try (LearningSession reference = openReference(workload);
                LearningSession session = device.open(workload)) {
            comparison.tensors(
                    "gradient",
                    CheckWorkload.gradients(reference, workload, state),
                    CheckWorkload.gradients(session, workload, state));
        }
        return comparison;
    }

    public static Comparison training(Device device, Workload workload) {
        return training(device, workload, CheckWorkload.state(workload));
    }

    static Comparison training(Device device, Workload workload, SessionState state) {
        Comparison comparison = Comparison.of(workload.precision());
        int steps = workload.stepsPerEpoch();
        try (LearningSession reference = openReference(workload);
                LearningSession session = device.open(workload)) {
            for (LearningSession either : List.of(reference, session)) {
                either.load(state);
                either.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            }
            comparison.values("probability", reference.predict(), session.predict());
            compare(comparison, "before training", reference.evaluate(), session.evaluate());
            comparison.values("loss", reference.advance(steps), session.advance(steps));
            SessionState expected = reference.save();
            SessionState actual = session.save();
            comparison.tensors(
                    "model", expected.model().tensors(), actual.model().tensors());
            comparison.tensors(
                    "optimizer",
                    expected.optimizer().tensors(),
                    actual.optimizer().tensors());
            compare(comparison, "after training", reference.evaluate(), session.evaluate());
        }
        return comparison;
    }

    /// Compares the handling of non-finite values: the prediction for each test sample, the loss of each step of
    /// an epoch, the test loss after it, and the gradients of the first step.
    ///
    /// @param precision of `device`
    public static Comparison nonFinite(Device device, Precision precision, NonFiniteCase row) {
        Comparison comparison = Comparison.ofNonFinite(precision);
        Workload workload = row.workload().withPrecision(precision);
        try (LearningSession reference = openReference(workload);
                LearningSession session = device.open(workload)) {
            NonFiniteRun expected = NonFiniteRun.of(reference, row);
            NonFiniteRun actual = NonFiniteRun.of(session, row);
            comparison.values("probability", expected.probabilities(), actual.probabilities());
            comparison.tensors("gradient", expected.gradients(), actual.gradients());
            comparison.values("loss", expected.losses(), actual.losses());
            comparison.value("test loss", expected.testLossSum(), actual.testLossSum());
        }
        return comparison;
    }

    private static void compare(Comparison comparison, String when, Evaluation expected, Evaluation actual) {
        comparison.value("test loss " + when, expected.testLoss(), actual.testLoss());
        comparison.value("sum of the test batches' losses " + when, expected.testLossSum(), actual.testLossSum());
        comparison.confusion("confusion " + when, expected.confusion(), actual.confusion());
        comparison.value("mean absolute error " + when, expected.meanAbsoluteError(), actual.meanAbsoluteError());
    }
}
