package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Device;
import io.trainyard.device.check.CheckGroup;
import io.trainyard.device.check.CheckOutcome;
import io.trainyard.device.check.DeviceCheck;
import io.trainyard.device.check.DeviceChecks;
import io.trainyard.spec.Precision;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// The rows of `check-device` in bfloat16, whose kernels are compiled apart from those of float32: gradients of every
/// layer, and values that are not finite.
@OnDouble
final class Bfloat16DoubleTest {
    private final Device device = TestedCuda.device();

    @TestFactory
    Stream<DynamicTest> everyRowIsWhatTheReferenceComputesToBfloat16sTolerance() {
        List<CheckGroup> groups = List.of(CheckGroup.LAYERS, CheckGroup.DIVERGENCE, CheckGroup.DETERMINISM);
        return DeviceChecks.of(device, groups, Set.of(Precision.BF16)).stream()
                .filter(check -> !check.name().endsWith("training"))
                .map(check -> DynamicTest.dynamicTest(check.name(), () -> passes(check)));
    }

    private static void passes(DeviceCheck check) {
        CheckOutcome outcome = check.body().get();
        assertThat(outcome.failed()).as("%s", outcome).isFalse();
    }
}
