package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.data.Dataset;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Evaluation on the test set.
interface EvaluationContract extends TestedDevice {
    @Test
    default void testLossIsTheMeanOfTheSamplesForAnyBatches() {
        // With logits 0 and b, classes 0 and 1 have the losses log(1 + e^b) and log(1 + e^-b).
        double b = 0.5;
        double cost0 = Math.log1p(Math.exp(b));
        double cost1 = Math.log1p(Math.exp(-b));
        byte[] labels = {0, 1, 0, 1, 1};
        Evaluation test = evaluateConstant(labels, 2, 0, (float) b);
        Expect.close("test loss", (2 * cost0 + 3 * cost1) / 5, test.testLoss());
        Expect.close(
                "sum of the batches' means", (cost0 + cost1) / 2 + (cost0 + cost1) / 2 + cost1, test.testLossSum());
        for (int batchSize : new int[] {1, 3, 5, 64}) {
            Evaluation other = evaluateConstant(labels, batchSize, 0, (float) b);
            Expect.close("test loss, batches of " + batchSize, test.testLoss(), other.testLoss());
        }
        assertThat(test.confusion()).isDeepEqualTo(new int[][] {{0, 2}, {0, 3}});
        assertThat(test.accuracy()).isEqualTo(0.6);
    }

    @Test
    default void theFirstOfEqualLogitsIsPredicted() {
        Evaluation test = evaluateConstant(new byte[] {2, 0, 1}, 3, 0, 0, 0);
        assertThat(test.confusion()).isDeepEqualTo(new int[][] {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}});
        Expect.close("test loss", Math.log(3), test.testLoss());
        Expect.close("sum of one batch", Math.log(3), test.testLossSum());
    }

    @Test
    default void theTestSetMayBeSmallerThanABatch() {
        Evaluation test = evaluateConstant(new byte[] {1}, 4, 0, 0);
        assertThat(test.confusion()).isDeepEqualTo(new int[][] {{0, 0}, {1, 0}});
        Expect.close("test loss", Math.log(2), test.testLoss());
    }

    @Test
    default void hugeLogitsOverflowNothing() {
        Evaluation test = evaluateConstant(new byte[] {0, 1}, 2, 0, 10_000);
        Expect.close("test loss", 5000, test.testLoss());
    }

    @Test
    default void predictsTheSoftmaxOfTheLogits() {
        float[] probabilities = predictConstant(3, 2, (float) Math.log(1), (float) Math.log(2), (float) Math.log(5));
        float[] each = {1 / 8f, 2 / 8f, 5 / 8f};
        float[] expected = new float[3 * each.length]; // one full batch and a shorter one
        for (int i = 0; i < expected.length; i++) {
            expected[i] = each[i % each.length];
        }
        Expect.close("probabilities", expected, probabilities);
    }

    @Test
    default void probabilitiesOfHugeLogitsAreNumbers() {
        assertThat(predictConstant(1, 1, 0, 10_000)).containsExactly(0, 1);
        assertThat(predictConstant(1, 1, -10_000, -10_000)).containsExactly(0.5f, 0.5f);
    }

    @Test
    default void predictionsMatchTheEvaluation() {
        Workload workload = eventful();
        int classes = workload.network().classes();
        Dataset.Split test = workload.dataset().test();
        try (LearningSession session = device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            float[] probabilities = session.predict();
            assertThat(session.predict()).as("nothing has changed").isEqualTo(probabilities);
            assertThat(probabilities).hasSize(test.size() * classes);
            int[] predictions = new int[test.size()];
            float[] losses = new float[test.size()];
            for (int n = 0; n < test.size(); n++) {
                for (int c = 1; c < classes; c++) {
                    predictions[n] = probabilities[n * classes + c] > probabilities[n * classes + predictions[n]]
                            ? c
                            : predictions[n];
                }
                losses[n] = (float) -Math.log(probabilities[n * classes + test.labels()[n]]);
            }
            Evaluation expected = Evaluation.of(workload, losses, predictions);
            Evaluation evaluated = session.evaluate();
            assertThat(evaluated.confusion()).isDeepEqualTo(expected.confusion());
            Expect.close("test loss", expected.testLoss(), evaluated.testLoss());
            Expect.close("sum of the batches' means", expected.testLossSum(), evaluated.testLossSum());
        }
    }

    /// The predictions of a network with constant `logits`.
    private float[] predictConstant(int tests, int batchSize, float... logits) {
        try (LearningSession session = constant(new byte[tests], batchSize, logits)) {
            return session.predict();
        }
    }

    private Evaluation evaluateConstant(byte[] labels, int batchSize, float... logits) {
        try (LearningSession session = constant(labels, batchSize, logits)) {
            return session.evaluate();
        }
    }

    /// A network with constant `logits`.
    private LearningSession constant(byte[] labels, int batchSize, float... logits) {
        List<LayerSpec> layers = List.of(Layers.flatten(), Layers.linear(logits.length, true));
        Workload workload = TestWorkload.ofLabels(logits.length, layers, labels, batchSize);
        LearningSession session = device().open(workload);
        session.load(TestState.state(Map.of(
                "1.weight", TestState.tensor(Shape.of(logits.length, 2), new float[logits.length * 2]),
                "1.bias", TestState.tensor(Shape.of(logits.length), logits))));
        return session;
    }
}
