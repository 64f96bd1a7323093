package io.trainyard.device.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceBackend;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.DevicePrecisionException;
import io.trainyard.device.Devices;
import io.trainyard.device.NumbersContract;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.onednn.OneDnnDeviceTest;
import io.trainyard.device.onednn.OneDnnLibrary;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// [KernelRuleTest] covers the choice of kernels; the tests of the oneDNN and vector devices cover their
/// results.
class CpuDeviceTest {
    private static final DeviceSpec CPU = new DeviceSpec("cpu");

    static Stream<Workload> bothKindsOfKernels() {
        List<LayerSpec> narrow = NetworkSpec.named("lenet").layers();
        return Stream.of(
                CheckWorkload.of(Shape.of(3, 32, 32), 10, narrow, CheckWorkload.MOMENTUM, 4, 9, 11),
                CheckWorkload.eventful(),
                OneDnnDeviceTest.wide());
    }

    @ParameterizedTest
    @MethodSource("bothKindsOfKernels")
    void trainsAsTheReferenceDoes(Workload workload) {
        NumbersContract.checkTraining(new CpuBackend().open(CPU), workload);
    }

    @Test
    void isFoundByNameAndDescribesItself() {
        assertThat(Devices.backends()).anyMatch(CpuBackend.class::isInstance);
        DeviceBackend backend = new CpuBackend();
        assertThat(backend.whyUnavailable()).isEmpty();
        assertThat(backend.devices()).singleElement().satisfies(info -> {
            assertThat(info.name()).isEqualTo("cpu");
            assertThat(info.description()).startsWith(info.model() + ", ");
            assertThat(info.description()).containsPattern("processors, oneDNN \\d+\\.\\d+\\.\\d+ with .+");
            assertThat(info.memoryBytes()).isGreaterThan(1 << 20);
        });
    }

    @Test
    void rejectsExcessiveThreadCounts() {
        for (int threads : new int[] {-1, 257}) {
            assertThatThrownBy(() -> new CpuBackend()
                            .open(CPU)
                            .open(OneDnnDeviceTest.wide().withThreads(threads)))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining(threads + " threads are requested; allowed is 1 to 256");
        }
    }

    @Test
    void aCpuWithoutBfloat16InstructionsRejectsIt() {
        DeviceInfo old = new DeviceInfo("cpu", "a model", "an old one", Long.MAX_VALUE);
        Device device = new CpuDevice(old, OneDnnLibrary.loaded(), Set.of(Precision.FP32));
        assertThatThrownBy(() -> device.open(OneDnnDeviceTest.wide().withPrecision(Precision.BF16)))
                .isInstanceOf(DevicePrecisionException.class)
                .hasMessageStartingWith("precision is bf16, but device cpu computes in fp32 only on this machine;");
        assertThatThrownBy(() -> device.open(OneDnnDeviceTest.wide().withPrecision(Precision.TF32)))
                .isInstanceOf(DeviceException.class)
                .isNotInstanceOf(DevicePrecisionException.class)
                .hasMessageStartingWith("precision is tf32, but device cpu computes in fp32 only;");
    }

    @Test
    void rejectsANetworkLargerThanTheMemoryWithBothSizes() {
        DeviceInfo small = new DeviceInfo("cpu", "a model", "a small one", 3 << 20);
        Device device = new CpuDevice(small, OneDnnLibrary.loaded(), Set.of(Precision.FP32));
        Workload workload = OneDnnDeviceTest.wide();
        assertThat(workload.estimatedBytes()).isGreaterThan(small.memoryBytes());
        assertThatThrownBy(() -> device.open(workload))
                .isInstanceOf(DeviceMemoryException.class)
                .hasMessageContaining("needs about %d MiB, but device cpu has 3 MiB", workload.estimatedBytes() >> 20);
    }
}
