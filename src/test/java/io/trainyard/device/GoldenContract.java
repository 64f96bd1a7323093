package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LoopSpec;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Results equal PyTorch's recorded ones, and some that are computed by hand.
public interface GoldenContract extends TestedDevice {
    @ParameterizedTest
    @MethodSource("io.trainyard.device.GoldenCase#names")
    default void trainsAsPyTorchDoes(String name) {
        NumbersContract.checkGolden(device(), name);
    }

    @ParameterizedTest
    @MethodSource("io.trainyard.device.GoldenCase#namesWithoutGroups")
    default void findsPyTorchsGradients(String name) {
        GoldenCase golden = GoldenCase.read(name);
        Workload plain = golden.workload().withOptimizer(CheckWorkload.PLAIN).withLoop(LoopSpec.NONE);
        try (LearningSession session = device().open(plain)) {
            session.load(golden.initial());
            EpochPlan plan = golden.epoch(0, golden.random());
            session.beginEpoch(new EpochPlan(plan.order(), CheckWorkload.constantRates(plain), plan.random()), 0);
            float[] losses = session.advance(1);
            Expect.close("loss", golden.recorded().floats("losses")[0], losses[0]);
            Expect.close(
                    "gradient",
                    golden.recorded().tensors("grad."),
                    CheckWorkload.difference(plain, golden.initial(), session.save()));
        }
    }

    @Test
    default void predictsWhatPyTorchPredictsWithTheSameCheckpoint() {
        GoldenPredictions golden = GoldenPredictions.read();
        try (LearningSession session = device().open(golden.workload())) {
            session.load(golden.state());
            Expect.close("probability", golden.probabilities(), session.predict());
            int[][] confusion = new int[10][10];
            int[] labels = golden.workload().dataset().test().labels();
            for (int n = 0; n < labels.length; n++) {
                confusion[labels[n]][golden.predicted()[n]]++;
            }
            Evaluation test = session.evaluate();
            assertThat(test.confusion()).isDeepEqualTo(confusion);
            Expect.close(
                    "sum of the test batches' losses", 21.617791, test.testLossSum()); // the script's standard error
            Expect.close("test loss", meanLoss(golden.probabilities(), labels), test.testLoss());
        }
    }

    private static double meanLoss(float[] probabilities, int[] labels) {
        int classes = probabilities.length / labels.length;
        double sum = 0;
        for (int n = 0; n < labels.length; n++) {
            sum -= Math.log(probabilities[n * classes + labels[n]]);
        }
        return sum / labels.length;
    }

    @Test
    default void theGradientOfPoolingGoesToTheFirstOfEqualMaxima() {
        Workload workload = pixelsByHand(
                List.of(Layers.conv(1, 1, 1, 0, true), Layers.pool(2, 2), Layers.flatten(), Layers.linear(2, false)));
        SessionState equals = TestState.state(Map.of(
                "0.weight", TestState.tensor(Shape.of(1, 1, 1, 1), 0),
                "0.bias", TestState.tensor(Shape.of(1), 1),
                "3.weight", TestState.tensor(Shape.of(2, 1), 1, -1)));
        // Logits (1, -1), class 1; derivative by the pooled value: softmax(1) - 0 - (softmax(-1) - 1) = 2s(2)
        double byValue = 2 / (1 + Math.exp(-2));
        Map<String, Tensor> gradients = firstGradients(workload, equals);
        Expect.close("bias", new float[] {(float) byValue}, TestState.values(gradients, "0.bias"));
        Expect.close("weight", new float[] {(float) byValue * 51 / 255}, TestState.values(gradients, "0.weight"));
    }

    @Test
    default void relusGradientAtZeroIsZero() {
        Workload workload = pixelsByHand(
                List.of(Layers.conv(1, 2, 1, 0, true), Layers.relu(), Layers.flatten(), Layers.linear(2, false)));
        SessionState zero = TestState.state(Map.of(
                "0.weight", TestState.tensor(Shape.of(1, 1, 2, 2), 0, 0, 0, 0),
                "0.bias", TestState.tensor(Shape.of(1), 0),
                "3.weight", TestState.tensor(Shape.of(2, 1), 1, -1)));
        Map<String, Tensor> gradients = firstGradients(workload, zero);
        assertThat(TestState.values(gradients, "0.bias")).containsExactly(0);
        assertThat(TestState.values(gradients, "0.weight")).containsExactly(0, 0, 0, 0);
    }

    /// One image of 2x2 pixels, 51 102 153 204, of class 1.
    private static Workload pixelsByHand(List<LayerSpec> layers) {
        return TestWorkload.ofImage(Shape.of(1, 2, 2), 2, layers, new byte[] {51, 102, (byte) 153, (byte) 204}, 1);
    }

    private Map<String, Tensor> firstGradients(Workload workload, SessionState before) {
        try (LearningSession session = device().open(workload)) {
            session.load(before);
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            assertThat(session.advance(1)).hasSize(1);
            return CheckWorkload.difference(workload, before, session.save());
        }
    }
}
