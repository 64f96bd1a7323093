package io.trainyard.device.cuda;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceBackend;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.cuda.driver.Gpus;
import io.trainyard.device.cuda.library.CudaLibraries;
import io.trainyard.device.cuda.library.ManagementLibrary;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.Precision;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/// The devices `cuda:0` and so on, and `cuda` for the first. Available if NVIDIA's driver has a GPU and the
/// libraries are installed.
public final class CudaBackend implements DeviceBackend {
    static final String KIND = "cuda";

    static final Set<Precision> PRECISIONS = Collections.unmodifiableSet(EnumSet.allOf(Precision.class));

    @Override
    public String kind() {
        return KIND;
    }

    @Override
    public int rank() {
        return 2;
    }

    @Override
    public Optional<String> whyUnavailable() {
        return CudaLibraries.whyUnavailable();
    }

    @Override
    public List<DeviceInfo> devices() {
        return whyUnavailable().isPresent()
                ? List.of()
                : IntStream.range(0, Gpus.count()).mapToObj(CudaBackend::info).toList();
    }

    @Override
    public List<String> details() {
        if (whyUnavailable().isPresent()) {
            return List.of();
        }
        List<String> details = new ArrayList<>(CudaLibraries.loaded().details());
        details.add(ManagementLibrary.description());
        return details;
    }

    @Override
    public Set<Precision> precisions() {
        return PRECISIONS;
    }

    @Override
    public String computes(Network network, Precision precision, int batchSize) {
        return "cuDNN, cuBLAS and kernels of our own, a step as a graph";
    }

    @Override
    public Device open(DeviceSpec spec) {
        var _ = CudaLibraries.loaded();
        int number = spec.name().startsWith(KIND + ":")
                ? Integer.parseInt(spec.name().substring(KIND.length() + 1))
                : 0;
        return new CudaDevice(info(number), number);
    }

    private static DeviceInfo info(int number) {
        int architecture = Gpus.architecture(number);
        String model = Gpus.name(number);
        String description = "%s, compute capability %d.%d, %s"
                .formatted(
                        model,
                        architecture / 10,
                        architecture % 10,
                        CudaLibraries.loaded().description());
        return new DeviceInfo(KIND + ":" + number, model, description, Gpus.totalBytes(number));
    }
}
