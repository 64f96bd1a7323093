package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Device;
import io.trainyard.device.check.CheckGroup;
import io.trainyard.device.check.CheckOutcome;
import io.trainyard.device.check.DeviceCheck;
import io.trainyard.device.check.DeviceChecks;
import io.trainyard.device.cuda.driver.Arena;
import io.trainyard.device.cuda.driver.Buffer;
import io.trainyard.device.cuda.driver.Gpu;
import io.trainyard.device.cuda.driver.Kernels;
import io.trainyard.device.cuda.layer.Numbers;
import io.trainyard.spec.Precision;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import jcuda.Pointer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// The rows of `check-device` in bfloat16, which has separately compiled kernels: gradients of every layer, and
/// non-finite values.
@OnFakeCuda
final class Bfloat16FakeCudaTest {
    private final Device device = TestedCuda.device();

    @TestFactory
    Stream<DynamicTest> everyRowIsWhatTheReferenceComputesToBfloat16sTolerance() {
        List<CheckGroup> groups = List.of(CheckGroup.LAYERS, CheckGroup.DIVERGENCE, CheckGroup.DETERMINISM);
        return DeviceChecks.of(device, groups, Set.of(Precision.BF16)).stream()
                .filter(check -> !check.name().endsWith("training") && !isLarge(check))
                .map(check -> DynamicTest.dynamicTest(check.name(), () -> passes(check)));
    }

    /// Skips whole convolutional networks, which take half a minute here. `check-device` runs them on a GPU.
    private static boolean isLarge(DeviceCheck check) {
        return check.group() == CheckGroup.DETERMINISM
                && Stream.of("tudui", "resnet18").anyMatch(check.name()::contains);
    }

    /// Values halfway between two neighbours, the largest values, and NaNs with bits that truncation would
    /// lose.
    @Test
    void valuesAreRoundedToTheNearest() {
        int[] bits = {
            0x3f807fff, 0x3f808000, 0x3f808001, 0x3f817fff, 0x3f818000, 0x3f818001, 0x7f7fffff, 0xff7f8000, 0x7f7f7fff,
            0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffffffff, 0x00000001, 0x00008001, 0x80008000, 0x80000000
        };
        short[] rounded = new short[bits.length];
        try (Gpu gpu = new Gpu(0)) {
            Kernels kernels = new Kernels(
                    gpu, KernelSource.text(), Numbers.of(Precision.BF16).options());
            Arena arena = new Arena(gpu);
            Buffer floats = arena.reserve((long) bits.length * Float.BYTES, "float32");
            Buffer packed = arena.reserve((long) bits.length * Short.BYTES, "bfloat16");
            arena.allocate();
            floats.write(Pointer.to(bits));
            kernels.launchBlocks("pack_values", 1, packed, floats, (long) bits.length);
            packed.read(Pointer.to(rounded));
        }
        for (int i = 0; i < bits.length; i++) {
            float value = Float.intBitsToFloat(rounded[i] << 16);
            float even = Float.intBitsToFloat((bits[i] + 0x7fff + (bits[i] >> 16 & 1)) & 0xffff0000);
            float expected = Float.isNaN(Float.intBitsToFloat(bits[i])) ? Float.NaN : even;
            assertThat(Float.compare(value, expected))
                    .as("%s, the bfloat16 nearest to %08x", value, bits[i])
                    .isZero();
        }
    }

    private static void passes(DeviceCheck check) {
        CheckOutcome outcome = check.body().get();
        assertThat(outcome.failed()).as("%s", outcome).isFalse();
    }
}
