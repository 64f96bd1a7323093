package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.LearningSession;
import io.trainyard.device.NumbersContract;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Shape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Operations after a batch norm are fused into its kernels, forward and backward.
@OnFakeCuda
final class NormResidualFakeCudaTest {
    private static final LayerSpec NORM = Layers.norm();
    private static final LayerSpec RELU = Layers.relu();

    private static LayerSpec conv(int out) {
        return Layers.conv(out, 3, 1, 1, false);
    }

    /// Two passes forward and two backward for each of the five batch norms, and a gradient sum for the first
    /// residual's input only. There is no other ReLU, sum or gradient copy.
    @Test
    void normAndAdditionReadMemoryTwice() {
        List<LayerSpec> layers = List.of(
                conv(4),
                NORM,
                RELU,
                Layers.residual(conv(4), NORM, RELU, conv(4), NORM),
                RELU,
                Layers.residual(List.of(conv(6), NORM), conv(6), NORM),
                RELU,
                Layers.flatten(),
                Layers.linear(3, true));
        Workload workload = CheckWorkload.of(Shape.of(2, 6, 6), 3, layers, CheckWorkload.PLAIN, 4, 16, 4);
        try (LearningSession session =
                new CudaBackend().open(new DeviceSpec("cuda:0")).open(workload)) {
            session.load(CheckWorkload.state(workload));
            session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
            Map<String, Long> before = runs();
            assertThat(session.advance(1)).hasSize(1);
            Map<String, Long> of = runs();
            of.replaceAll((kernel, runs) -> runs - before.getOrDefault(kernel, 0L));
            assertThat(of)
                    .isEqualTo(Map.of(
                            "kernel batch_norm_statistics", 5L,
                            "kernel batch_norm_forward", 5L,
                            "kernel batch_norm_gradient_sums", 5L,
                            "kernel batch_norm_backward", 5L,
                            "kernel add", 1L,
                            "kernel relu_forward", 0L,
                            "kernel relu_backward", 0L,
                            "cuMemcpyDtoDAsync", 0L));
        }
    }

    private static Map<String, Long> runs() {
        Map<String, Long> runs = new LinkedHashMap<>();
        for (String kernel : List.of(
                "kernel batch_norm_statistics",
                "kernel batch_norm_forward",
                "kernel batch_norm_gradient_sums",
                "kernel batch_norm_backward",
                "kernel add",
                "kernel relu_forward",
                "kernel relu_backward",
                "cuMemcpyDtoDAsync")) {
            runs.put(kernel, FakeCudaLibraries.calls(kernel));
        }
        return runs;
    }

    /// Detects a gradient that is overwritten before another branch reads it. Batch norms stand at the end of
    /// one branch, of both, of the shortcut only, at the beginning, and in a nested residual at the end of a
    /// branch.
    @Test
    void doesNotOverwriteSharedGradients() {
        for (LayerSpec end : List.of(RELU, Layers.tanh())) {
            LayerSpec inner = Layers.residual(NORM, end, conv(5), NORM);
            List<LayerSpec> layers = List.of(
                    NORM,
                    end,
                    conv(5),
                    Layers.residual(conv(5), NORM),
                    end,
                    Layers.residual(List.of(conv(5)), conv(5), NORM),
                    end,
                    Layers.residual(Layers.residual(conv(5), NORM), end),
                    Layers.residual(List.of(inner, end, conv(5), NORM), NORM),
                    Layers.residual(List.of(inner), Layers.residual(NORM)),
                    Layers.residual(inner),
                    end,
                    Layers.flatten(),
                    Layers.linear(4, true));
            Workload workload =
                    CheckWorkload.of(Shape.of(3, 6, 6), 4, layers, new OptimizerSpec.Sgd(0.01, 0, 0), 6, 15, 5);
            NumbersContract.checkTraining(new CudaBackend().open(new DeviceSpec("cuda:0")), workload);
        }
    }
}
