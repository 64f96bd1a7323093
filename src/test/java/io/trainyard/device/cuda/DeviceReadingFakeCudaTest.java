package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceReading;
import io.trainyard.device.Devices;
import io.trainyard.device.parallel.ParallelDevice;
import io.trainyard.spec.DeviceSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The fake NVML's readings of the fake GPUs.
@OnFakeCuda
class DeviceReadingFakeCudaTest {
    private static final int LOST = 15; // NVML_ERROR_GPU_IS_LOST
    private static final int NOT_SUPPORTED = 3;

    private final Device device = Devices.open(new DeviceSpec("cuda:1"));

    @Test
    void reportsMetricsInPlainUnits() {
        assertThat(device.readings())
                .containsExactly(new DeviceReading("cuda:1", 0.93, 0L, 2L << 30, 251.5, 5e9, 61.0));
    }

    @Test
    void omitsUnsupportedMetrics() {
        FakeCudaLibraries.fail("nvmlDeviceGetUtilizationRates", 1, NOT_SUPPORTED); // as on a partitioned GPU
        FakeCudaLibraries.fail("nvmlDeviceGetTotalEnergyConsumption", 1, NOT_SUPPORTED); // as before Volta
        assertThat(device.readings())
                .containsExactly(new DeviceReading("cuda:1", null, 0L, 2L << 30, 251.5, null, 61.0));
        assertThat(device.readings().getFirst().utilization()).isEqualTo(0.93);
    }

    @Test
    void reportsALostGpu() {
        FakeCudaLibraries.fail("nvmlDeviceGetHandleByPciBusId", 1, LOST);
        assertThatThrownBy(device::readings)
                .isInstanceOf(DeviceException.class)
                .hasMessage(
                        "nvmlDeviceGetHandleByPciBusId_v2 of NVML fails: GPU is lost (15); check nvidia-smi and dmesg");
    }

    @Test
    void readsSeveralGpus() {
        Device both = ParallelDevice.open(List.of(new DeviceSpec("cuda:1"), new DeviceSpec("cuda:0")));
        assertThat(both.readings()).extracting(DeviceReading::device).containsExactly("cuda:1", "cuda:0");
    }
}
