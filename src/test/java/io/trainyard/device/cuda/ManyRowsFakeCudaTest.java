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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Layers with many rows of output, so that several blocks of threads share a sum.
@OnFakeCuda
final class ManyRowsFakeCudaTest {
    private final Device device = TestedCuda.device();

    @Test
    void aLinearLayersBiasHasTheReferencesGradient() {
        List<LayerSpec> layers =
                List.of(Layers.flatten(), Layers.linear(5, true), Layers.relu(), Layers.linear(3, true));
        Workload workload = CheckWorkload.of(Shape.of(1, 2, 3), 3, layers, CheckWorkload.PLAIN, 5000, 5000, 1);
        long parts = FakeCudaLibraries.calls("kernel bias_gradient_parts");
        assertThat(ReferenceComparison.gradients(device, workload).differences())
                .isEmpty();
        assertThat(FakeCudaLibraries.calls("kernel bias_gradient_parts") - parts)
                .isPositive();
    }

    @Test
    void aConvolutionsBiasHasTheReferencesGradientInBfloat16() {
        List<LayerSpec> layers =
                List.of(Layers.conv(8, 3, 1, 1, true), Layers.relu(), Layers.flatten(), Layers.linear(3, true));
        long parts = FakeCudaLibraries.calls("kernel bias_gradient_parts");
        Workload workload = CheckWorkload.of(Shape.of(1, 9, 8), 3, layers, CheckWorkload.PLAIN, 64, 64, 1);
        compareInBfloat16(workload, new Tolerance(2e-3, 2e-2));
        assertThat(FakeCudaLibraries.calls("kernel bias_gradient_parts") - parts)
                .isPositive();
    }

    /// Several blocks of threads share each channel. Rows of 7 and of 8 columns load a different number of
    /// values per thread.
    @ParameterizedTest
    @ValueSource(ints = {7, 8})
    void aBatchNormHasTheReferencesGradients(int columns) {
        List<LayerSpec> layers = List.of(
                Layers.conv(8, 3, 1, 1, false), Layers.norm(), Layers.relu(), Layers.flatten(), Layers.linear(3, true));
        Workload workload = CheckWorkload.of(Shape.of(1, 9, columns), 3, layers, CheckWorkload.PLAIN, 128, 128, 1);
        assertThat(ReferenceComparison.gradients(device, workload).differences())
                .isEmpty();
        compareInBfloat16(workload, new Tolerance(1e-2, 5e-2));
    }

    private void compareInBfloat16(Workload exact, Tolerance tolerance) {
        Workload workload = exact.withPrecision(Precision.BF16);
        Comparison comparison = new Comparison(tolerance); // bfloat16 has 8 bits
        comparison.tensors("gradient", gradients(ReferenceComparison.reference(), exact), gradients(device, workload));
        assertThat(comparison.differences()).isEmpty();
    }

    private static Map<String, Tensor> gradients(Device device, Workload workload) {
        try (LearningSession session = device.open(workload)) {
            return CheckWorkload.gradients(session, workload);
        }
    }
}
