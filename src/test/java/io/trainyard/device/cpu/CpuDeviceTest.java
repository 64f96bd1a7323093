package io.trainyard.device.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceBackend;
import io.trainyard.device.DeviceContract;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.Devices;
import io.trainyard.device.Workload;
import io.trainyard.device.onednn.OneDnnDeviceTest;
import io.trainyard.device.onednn.OneDnnLibrary;
import io.trainyard.spec.DeviceSpec;
import org.junit.jupiter.api.Test;

class CpuDeviceTest extends DeviceContract {
    private static final DeviceSpec CPU = new DeviceSpec("cpu");

    @Override
    public Device device() {
        return new CpuBackend().open(CPU);
    }

    @Test
    void isFoundByNameAndTellsWhatItIs() {
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
    void threadCountsThatNoMachineHasAreRefused() {
        for (int threads : new int[] {-1, 257}) {
            assertThatThrownBy(() -> new CpuBackend()
                            .open(CPU)
                            .open(OneDnnDeviceTest.wide().withThreads(threads)))
                    .isInstanceOf(DeviceException.class)
                    .hasMessageContaining(threads + " threads are asked for; allowed is 1 to 256");
        }
    }

    @Test
    void aNetworkLargerThanTheMemoryIsRefusedWithBothFigures() {
        DeviceInfo small = new DeviceInfo("cpu", "a model", "a small one", 3 << 20);
        Device device = new CpuDevice(small, OneDnnLibrary.loaded());
        Workload workload = OneDnnDeviceTest.wide();
        assertThat(workload.estimatedBytes()).isGreaterThan(small.memoryBytes());
        assertThatThrownBy(() -> device.open(workload))
                .isInstanceOf(DeviceMemoryException.class)
                .hasMessageContaining("needs about %d MiB, but device cpu has 3 MiB", workload.estimatedBytes() >> 20);
    }
}
