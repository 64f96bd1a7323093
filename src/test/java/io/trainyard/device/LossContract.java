package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.LossSpec.CrossEntropy;
import io.trainyard.spec.LossSpec.MeanSquaredError;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Loss functions in training and evaluation.
interface LossContract extends TestedDevice {
    @ParameterizedTest
    @MethodSource("io.trainyard.device.check.CheckWorkload#losses")
    default void everyLossTrainsAndTestsAsTheReferencesDoes(LossSpec loss) {
        Workload workload = CheckWorkload.learning(loss, eventful());
        NumbersContract.checkTraining(device(), workload);
    }

    @Test
    default void aWeightedMeanIsDividedByTheWeightsOfTheTargets() {
        // With logits 0 and b, classes 0 and 1 have the losses log(1 + e^b) and log(1 + e^-b).
        double b = 0.5;
        double cost0 = 3 * Math.log1p(Math.exp(b));
        double cost1 = 0.25 * Math.log1p(Math.exp(-b));
        Evaluation test =
                evaluate(new CrossEntropy(0, List.of(3.0, 0.25)), new byte[] {0, 1, 0, 1, 1}, 2, 0, (float) b);
        Expect.close("test loss", (2 * cost0 + 3 * cost1) / 6.75, test.testLoss());
        Expect.close(
                "sum of the batches' means",
                (cost0 + cost1) / 3.25 + (cost0 + cost1) / 3.25 + cost1 / 0.25,
                test.testLossSum());
        assertThat(test.accuracy()).as("weights are the loss's alone").isEqualTo(0.6);
    }

    @Test
    default void smoothedLabelsCostAShareOfEachClass() {
        // With logits 0 and b, classes 0 and 1 have the losses log(1 + e^b) and log(1 + e^-b).
        double b = 2;
        double cost0 = Math.log1p(Math.exp(b));
        double cost1 = Math.log1p(Math.exp(-b));
        Evaluation test = evaluate(new CrossEntropy(0.2, null), new byte[] {1, 1, 0}, 2, 0, (float) b);
        double spread = 0.1 * (cost0 + cost1);
        Expect.close("test loss", 0.8 * (cost0 + 2 * cost1) / 3 + spread, test.testLoss());
        Expect.close("sum of the batches' means", 0.8 * cost1 + spread + 0.8 * cost0 + spread, test.testLossSum());
    }

    @Test
    default void aBatchWithoutWeightHasNoMean() {
        Evaluation test = evaluate(new CrossEntropy(0, List.of(1.0, 0.0)), new byte[] {0, 0, 1, 1}, 2, 0, 0);
        Expect.close("test loss", Math.log(2), test.testLoss());
        assertThat(test.testLossSum()).isNaN();
    }

    @Test
    default void regressionHasAnErrorAndNoAccuracy() {
        float[] targets = {1, 2, 0, -2, 4, 1};
        Workload classes = TestWorkload.ofLabels(
                2, List.of(Layers.flatten(), Layers.linear(2, true)), new byte[targets.length / 2], 2);
        Workload workload = TestWorkload.ofNumbers(classes, targets);
        try (LearningSession session = device().open(workload)) {
            session.load(constant(1, 0));
            Evaluation test = session.evaluate();
            double first = (0 + 4 + 1 + 4) / 4.0;
            double second = (9 + 1) / 2.0;
            Expect.close("test loss", (0 + 4 + 1 + 4 + 9 + 1) / 6.0, test.testLoss());
            Expect.close("sum of the batches' means", first + second, test.testLossSum());
            Expect.close("mean absolute error", (0 + 2 + 1 + 2 + 3 + 1) / 6.0, test.meanAbsoluteError());
            assertThat(test.accuracy()).isNaN();
            assertThat(session.predict()).containsExactly(1, 0, 1, 0, 1, 0);
        }
    }

    @Test
    default void rejectsALossThatDoesNotFitTheTargets() {
        Workload classes = eventful();
        assertThatThrownBy(() -> classes.withLoss(new MeanSquaredError()))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(
                        "loss is mse, but dataset random has 3 classes, not target values; leave loss out, for cross-entropy, or name a dataset with target values");
        Workload numbers = CheckWorkload.learning(new MeanSquaredError(), classes);
        assertThatThrownBy(() -> numbers.withLoss(LossSpec.DEFAULT))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageStartingWith(
                        "loss is crossEntropy, but dataset random has 3 target values per sample, not classes;");
    }

    @Test
    default void otherNumbersOfWeightsAreRefused() {
        Workload workload = eventful();
        assertThatThrownBy(() -> workload.withLoss(new CrossEntropy(0, List.of(1.0, 2.0))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage("loss.classWeights has 2 weights, but the dataset has 3 classes; give one for each class");
    }

    /// Evaluates a network with constant `logits`.
    private Evaluation evaluate(LossSpec loss, byte[] labels, int batchSize, float... logits) {
        Workload workload = TestWorkload.ofLabels(
                        logits.length, List.of(Layers.flatten(), Layers.linear(logits.length, true)), labels, batchSize)
                .withLoss(loss);
        try (LearningSession session = device().open(workload)) {
            session.load(constant(logits));
            return session.evaluate();
        }
    }

    /// The state of a network with constant `outputs`.
    private static SessionState constant(float... outputs) {
        return TestState.state(Map.of(
                "1.weight", TestState.tensor(Shape.of(outputs.length, 2), new float[outputs.length * 2]),
                "1.bias", TestState.tensor(Shape.of(outputs.length), outputs)));
    }
}
