package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Device;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Tensor;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Comparison;
import io.trainyard.device.check.Layers;
import io.trainyard.device.check.ReferenceComparison;
import io.trainyard.device.check.Tolerance;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Biases of layers with so many rows of output that their gradients are summed in parts.
@OnDouble
final class ManyRowsDoubleTest {
    private final Device device = TestedCuda.device();

    @Test
    void aLinearLayersBiasHasTheReferencesGradient() {
        List<LayerSpec> layers =
                List.of(Layers.flatten(), Layers.linear(5, true), Layers.relu(), Layers.linear(3, true));
        Workload workload = CheckWorkload.of(Shape.of(1, 2, 3), 3, layers, CheckWorkload.PLAIN, 5000, 5000, 1);
        long parts = NativeDouble.calls("kernel bias_gradient_parts");
        assertThat(ReferenceComparison.gradients(device, workload).differences())
                .isEmpty();
        assertThat(NativeDouble.calls("kernel bias_gradient_parts") - parts).isPositive();
    }

    @Test
    void aConvolutionsBiasHasTheReferencesGradientInBfloat16() {
        List<LayerSpec> layers =
                List.of(Layers.conv(8, 3, 1, 1, true), Layers.relu(), Layers.flatten(), Layers.linear(3, true));
        Workload exact = CheckWorkload.of(Shape.of(1, 9, 8), 3, layers, CheckWorkload.PLAIN, 64, 64, 1);
        Workload workload = new Workload(
                exact.network(),
                exact.optimizer(),
                exact.batchSize(),
                exact.dataset(),
                exact.scale(),
                exact.augment(),
                Precision.BF16,
                exact.threads());
        long parts = NativeDouble.calls("kernel bias_gradient_parts");
        Comparison comparison = new Comparison(new Tolerance(2e-3, 2e-2)); // bfloat16 has 8 bits
        comparison.tensors("gradient", gradients(ReferenceComparison.reference(), exact), gradients(device, workload));
        assertThat(comparison.differences()).isEmpty();
        assertThat(NativeDouble.calls("kernel bias_gradient_parts") - parts).isPositive();
    }

    private static Map<String, Tensor> gradients(Device device, Workload workload) {
        try (LearningSession session = device.open(workload)) {
            return CheckWorkload.gradients(session, workload);
        }
    }
}
