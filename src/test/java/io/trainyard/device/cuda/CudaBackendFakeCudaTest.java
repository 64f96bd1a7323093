package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.DeviceBackend;
import io.trainyard.device.DeviceChoice;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.Devices;
import io.trainyard.spec.DeviceSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The fake CUDA libraries have two GPUs.
@OnFakeCuda
class CudaBackendFakeCudaTest {
    private final DeviceBackend backend = new CudaBackend();

    @Test
    void devicesAreTheGpusByNumber() {
        List<DeviceInfo> devices = backend.devices();
        assertThat(devices).extracting(DeviceInfo::name).containsExactly("cuda:0", "cuda:1");
        assertThat(devices).allSatisfy(device -> {
            assertThat(device.description())
                    .contains("compute capability 9.0, driver (CUDA 13.0), cuDNN 9.", "cuBLAS 13.", "NVRTC 13.0");
            assertThat(device.memoryBytes()).isEqualTo(2L << 30);
        });
    }

    @Test
    void detailsNameTheFilesAndTheBridge() {
        assertThat(backend.details())
                .hasSize(5)
                .anySatisfy(line -> assertThat(line).startsWith("NVML: /").endsWith("/libnvidia-ml.so.1"))
                .anySatisfy(line -> assertThat(line).startsWith("driver: /").endsWith("/libcuda.so.1"))
                .anySatisfy(line -> assertThat(line)
                        .startsWith("cuDNN 9.")
                        .endsWith("/libcudnn.so.9, bridged, libcudnn.so.8 -> libcudnn.so.9"));
    }

    @Test
    void cudaIsTheFirstGpu() {
        assertThat(Devices.open(new DeviceSpec("cuda")).info().name()).isEqualTo("cuda:0");
        assertThat(Devices.open(new DeviceSpec("cuda:1")).info().name()).isEqualTo("cuda:1");
    }

    @Test
    void autoIsCuda() {
        assertThat(Devices.choice()).isEqualTo(new DeviceChoice("cuda", "auto prefers it, and it is available"));
        assertThat(Devices.open(DeviceSpec.AUTO).info().name()).isEqualTo("cuda:0");
    }

    @Test
    void rejectsAMissingGpu() {
        assertThatThrownBy(() -> Devices.open(new DeviceSpec("cuda:2")))
                .isInstanceOf(DeviceException.class)
                .hasMessageStartingWith("no device \"cuda:2\" here; there is cuda:0, cuda:1: name one of these");
    }
}
