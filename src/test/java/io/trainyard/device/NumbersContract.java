package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Slow;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.LayerCase;
import io.trainyard.device.check.NonFiniteCase;
import io.trainyard.device.check.ReferenceComparison;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.Precision;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Training results equal PyTorch's recorded ones and those of the reference device.
public interface NumbersContract extends GoldenContract {
    /// The names of the recorded PyTorch runs with such a workload.
    static List<String> goldens(Predicate<Workload> wanted) throws IOException {
        return GoldenCase.names().stream()
                .filter(name -> wanted.test(GoldenCase.read(name).workload()))
                .toList();
    }

    /// Trains and tests as in a recorded PyTorch run.
    static void checkGolden(Device device, String name) {
        GoldenCase golden = GoldenCase.read(name);
        List<Float> losses = new ArrayList<>();
        List<Double> testLossSums = new ArrayList<>();
        try (LearningSession session = device.open(golden.workload())) {
            session.load(golden.initial());
            TorchRandom random = golden.random();
            int[][] confusion = {};
            for (int epoch = 0; epoch < golden.job().epochs(); epoch++) {
                session.beginEpoch(golden.epoch(epoch, random), 0);
                for (float loss : session.advance(golden.workload().stepsPerEpoch())) {
                    losses.add(loss);
                }
                long unusedBaseSeedOfTheTestPass = random.nextLong();
                Evaluation test = session.evaluate();
                testLossSums.add(test.testLossSum());
                confusion = test.confusion();
                if (test.isRegression()) {
                    Expect.close(
                            "mean absolute error",
                            golden.recorded().doubles("test_mean_absolute_error")[epoch],
                            test.meanAbsoluteError());
                }
            }
            Expect.close("loss", golden.recorded().floats("losses"), TestState.toFloats(losses));
            Expect.close(
                    "sum of the test batches' losses",
                    golden.recorded().doubles("test_loss"),
                    testLossSums.stream().mapToDouble(sum -> sum).toArray());
            assertThat(confusion).isDeepEqualTo(golden.confusion());
            Expect.close(
                    "final",
                    golden.recorded().tensors("final."),
                    session.save().model().tensors());
        }
    }

    @Slow
    @ParameterizedTest
    @MethodSource("io.trainyard.device.check.LayerCases#all")
    default void findsTheReferencesGradients(LayerCase row) {
        Workload workload = CheckWorkload.of(row, CheckWorkload.PLAIN);
        Expect.passed(ReferenceComparison.gradients(device(), workload));
    }

    @Slow
    @ParameterizedTest
    @MethodSource("io.trainyard.device.check.LayerCases#all")
    default void trainsAndTestsAsTheReferenceDoes(LayerCase row) {
        checkTraining(device(), CheckWorkload.of(row, CheckWorkload.MOMENTUM));
    }

    @Slow
    @ParameterizedTest
    @MethodSource("io.trainyard.device.check.NonFiniteCases#all")
    default void propagatesNonFiniteValuesLikeTheReference(NonFiniteCase row) {
        checkNonFinite(device(), row);
    }

    static void checkNonFinite(Device device, NonFiniteCase row) {
        Expect.passed(ReferenceComparison.nonFinite(device, Precision.FP32, row));
    }

    /// Trains an epoch on both devices, and evaluates before and after it.
    static void checkTraining(Device device, Workload workload) {
        Expect.passed(ReferenceComparison.training(device, workload));
    }

    /// More classes than fit into a byte, and samples that are rows instead of images.
    @Test
    default void trainsRowsOfManyClassesAsTheReferenceDoes() {
        checkTraining(device(), RowsWorkload.ofPixels(7, 300));
    }
}
