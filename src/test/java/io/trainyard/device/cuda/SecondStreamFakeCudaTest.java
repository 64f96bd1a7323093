package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Weight gradients run on a second stream: every order that the graph's edges allow gives the same results.
@OnFakeCuda
final class SecondStreamFakeCudaTest {
    private static final int SEEDS = 5;

    private record Trained(String losses, Object bits) {}

    @AfterEach
    void asTheDeviceChooses() {
        System.clearProperty(CudaSettings.Name.SECOND_STREAM.property());
        FakeCudaLibraries.set(FakeCudaLibraries.SEED, "");
    }

    static Stream<Workload> workloads() {
        List<LayerSpec> residuals = List.of(
                Layers.conv(5, 3, 1, 1, true),
                Layers.residual(Layers.conv(5, 3, 1, 1, true), Layers.relu(), Layers.conv(5, 1, 1, 0, true)),
                Layers.residual(List.of(Layers.conv(5, 3, 1, 1, true)), Layers.relu(), Layers.conv(5, 3, 1, 1, false)),
                Layers.relu(),
                Layers.flatten(),
                Layers.linear(7, true),
                Layers.relu(),
                Layers.linear(3, true));
        Workload inBranches = CheckWorkload.of(Shape.of(2, 6, 6), 3, residuals, CheckWorkload.MOMENTUM, 3, 10, 3);
        // Large enough that a bias gradient is summed in parts in the workspace.
        List<LayerSpec> wide = List.of(
                Layers.conv(3, 3, 1, 1, true),
                Layers.conv(3, 3, 1, 1, true),
                Layers.pool(8, 8),
                Layers.flatten(),
                Layers.linear(3, true));
        Workload inParts = CheckWorkload.of(Shape.of(1, 64, 64), 3, wide, CheckWorkload.MOMENTUM, 2, 4, 2);
        return Stream.of(
                CheckWorkload.eventful(),
                CheckWorkload.eventful().withPrecision(Precision.BF16),
                inBranches,
                inBranches.withPrecision(Precision.BF16),
                inParts.withPrecision(Precision.BF16));
    }

    @ParameterizedTest
    @MethodSource("workloads")
    void theBitsAreThoseOfOneStream(Workload workload) {
        System.setProperty(CudaSettings.Name.SECOND_STREAM.property(), "off");
        Trained expected = train(workload);
        System.setProperty(CudaSettings.Name.SECOND_STREAM.property(), "on");
        for (int seed = 1; seed <= SEEDS; seed++) {
            FakeCudaLibraries.set(FakeCudaLibraries.SEED, Integer.toString(seed));
            assertThat(train(workload)).as("seed %d", seed).isEqualTo(expected);
        }
    }

    private static Trained train(Workload workload) {
        try (LearningSession session = TestedCuda.device().open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            float[] losses = session.advance(workload.stepsPerEpoch());
            return new Trained(Arrays.toString(Bits.of(losses)), Bits.of(session.save()));
        }
    }

    @Test
    void mergedLayersShortenTheChain() {
        StepCount.Case lenet = new StepCount.Case("lenet", 4, Precision.FP32, 50_000);
        System.setProperty(CudaSettings.Name.SECOND_STREAM.property(), "off");
        StepCount one = StepCount.of(lenet);
        System.setProperty(CudaSettings.Name.SECOND_STREAM.property(), "on");
        StepCount two = StepCount.of(lenet);
        assertThat(one.chain()).isEqualTo(one.nodes());
        assertThat(two.chain()).isLessThan(one.chain() - 5);
        assertThat(two.nodes()).isEqualTo(one.nodes());
        assertThat(two.bytes()).isEqualTo(one.bytes());
    }
}
