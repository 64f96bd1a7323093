package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.SeededProperty;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.ReferenceComparison;
import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.ParameterSpec;
import java.util.List;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;

/// Properties of every device except the reference: its results equal the reference's.
public abstract class ReferenceProperties extends DeviceProperties {
    private static final double SMALLEST_VARIANCE = 0.01;

    @SeededProperty
    void findsTheReferencesGradients(@ForAll("networks") RandomNetwork network) {
        Workload workload = network.workload(CheckWorkload.PLAIN);
        assumeBoundedValues(workload, 1);
        Expect.passed(ReferenceComparison.gradients(device(), workload));
    }

    @SeededProperty
    void trainsAndTestsAsTheReferenceDoes(@ForAll("networks") RandomNetwork network) {
        Workload workload = network.workload();
        int steps = Math.min(3, workload.stepsPerEpoch());
        assumeBoundedValues(workload, steps);
        try (LearningSession reference = ReferenceComparison.reference().open(workload);
                LearningSession session = device().open(workload)) {
            for (LearningSession either : List.of(reference, session)) {
                either.load(CheckWorkload.state(workload));
                either.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            }
            Expect.close("loss", reference.advance(steps), session.advance(steps));
            SessionState expected = reference.save();
            SessionState actual = session.save();
            Expect.close("model", expected.model().tensors(), actual.model().tensors());
            Expect.close(
                    "optimizer",
                    expected.optimizer().tensors(),
                    actual.optimizer().tensors());
            Evaluation expectedTest = reference.evaluate();
            Evaluation test = session.evaluate();
            Expect.close("test loss", expectedTest.testLoss(), test.testLoss());
            Expect.close("sum of the test batches' losses", expectedTest.testLossSum(), test.testLossSum());
        }
    }

    /// Skips networks in which batch norm divides by nearly zero: it amplifies rounding so that no result is
    /// reliable.
    private static void assumeBoundedValues(Workload workload, int steps) {
        SessionState state = CheckWorkload.state(workload);
        try (LearningSession session = ReferenceComparison.reference().open(workload)) {
            session.load(state);
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            for (int i = 0; i < steps; i++) {
                assertThat(session.advance(1)).hasSize(1);
                SessionState next = session.save();
                Assume.that(smallestVariance(workload, state, next) > SMALLEST_VARIANCE);
                state = next;
            }
        }
    }

    /// The smallest variance of the batch, derived from the change of the running variances.
    private static double smallestVariance(Workload workload, SessionState before, SessionState after) {
        double momentum = BatchNorm.DEFAULT_MOMENTUM;
        double smallest = Double.POSITIVE_INFINITY;
        for (ParameterSpec parameter : workload.network().parameters()) {
            if (parameter.name().endsWith("running_var")) {
                float[] old = before.model().floats(parameter.name(), parameter.shape());
                float[] now = after.model().floats(parameter.name(), parameter.shape());
                for (int c = 0; c < old.length; c++) {
                    smallest = Math.min(smallest, (now[c] - (1 - momentum) * old[c]) / momentum);
                }
            }
        }
        return smallest;
    }
}
