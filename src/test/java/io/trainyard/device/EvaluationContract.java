package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The pass over the test set.
interface EvaluationContract {
    Device device();

    @Test
    default void testLossIsTheSumOfTheBatchesMeans() {
        // Logits 0 and b: classes 0 and 1 cost log(1 + e^b) and log(1 + e^-b)
        double b = 0.5;
        double cost0 = Math.log1p(Math.exp(b));
        double cost1 = Math.log1p(Math.exp(-b));
        Evaluation test = evaluateConstant(new byte[] {0, 1, 0, 1, 1}, 2, 0, (float) b);
        Tolerance.OF_FLOAT_SUMS.check("test loss", (cost0 + cost1) / 2 + (cost0 + cost1) / 2 + cost1, test.testLoss());
        assertThat(test.confusion()).isDeepEqualTo(new int[][] {{0, 2}, {0, 3}});
        assertThat(test.accuracy()).isEqualTo(0.6);
    }

    @Test
    default void ofEqualLogitsTheFirstIsPredicted() {
        Evaluation test = evaluateConstant(new byte[] {2, 0, 1}, 3, 0, 0, 0);
        assertThat(test.confusion()).isDeepEqualTo(new int[][] {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}});
        Tolerance.OF_FLOAT_SUMS.check("test loss", Math.log(3), test.testLoss());
    }

    @Test
    default void theTestSetMayBeSmallerThanABatch() {
        Evaluation test = evaluateConstant(new byte[] {1}, 4, 0, 0);
        assertThat(test.confusion()).isDeepEqualTo(new int[][] {{0, 0}, {1, 0}});
        Tolerance.OF_FLOAT_SUMS.check("test loss", Math.log(2), test.testLoss());
    }

    @Test
    default void hugeLogitsOverflowNothing() {
        Evaluation test = evaluateConstant(new byte[] {0, 1}, 2, 0, 10_000);
        Tolerance.OF_FLOAT_SUMS.check("test loss", 5000, test.testLoss());
    }

    /// A network that gives `logits` for every image.
    private Evaluation evaluateConstant(byte[] labels, int batchSize, float... logits) {
        List<LayerSpec> layers = List.of(LayerRow.flatten(), LayerRow.linear(logits.length, true));
        Workload workload = TestWorkload.ofLabels(logits.length, layers, labels, batchSize);
        try (LearningSession session = device().open(workload)) {
            session.load(TestState.state(Map.of(
                    "1.weight", TestState.tensor(Shape.of(logits.length, 2), new float[logits.length * 2]),
                    "1.bias", TestState.tensor(Shape.of(logits.length), logits))));
            return session.evaluate();
        }
    }
}
