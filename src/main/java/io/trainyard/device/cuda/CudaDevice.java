package io.trainyard.device.cuda;

import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.DeviceReading;
import io.trainyard.device.LearningSession;
import io.trainyard.device.ShardDevice;
import io.trainyard.device.ShardRange;
import io.trainyard.device.ShardSession;
import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Gpus;
import io.trainyard.device.cuda.library.ManagementLibrary;
import io.trainyard.spec.Precision;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One GPU.
///
/// @param number among those visible under CUDA_VISIBLE_DEVICES
record CudaDevice(DeviceInfo info, int number) implements ShardDevice {
    /// The compute capability from which tensor cores support TensorFloat-32 and bfloat16.
    private static final int AMPERE = 80;

    @Override
    public Set<Precision> precisions() {
        return Gpus.architecture(number) < AMPERE ? Set.of(Precision.FP32) : CudaBackend.PRECISIONS;
    }

    @Override
    public OptionalLong usedMemoryBytes() {
        return OptionalLong.of(Gpus.usedBytes(number));
    }

    @Override
    public List<DeviceReading> readings() {
        return ManagementLibrary.loaded().stream()
                .map(library -> library.read(info.name(), Gpus.busId(number)))
                .toList();
    }

    @Override
    public LearningSession open(Workload workload) {
        return openPart(workload, ShardRange.WHOLE, null);
    }

    /// @throws io.trainyard.device.DeviceLostException if the GPU fails permanently during preparation
    @Override
    public ShardSession openPart(Workload workload, ShardRange part, @Nullable ShardSession first) {
        workload.requirePrecision(info.name(), precisions(), CudaBackend.PRECISIONS);
        if (part.count() > 1 && workload.loop().maxNorm().isPresent()) {
            throw new DeviceException(
                    "clipGradients.norm is %s: the norm is that of all gradients, but each of the %d GPUs sums a part of them only; clip by value, or train on one GPU (\"device\" instead of \"devices\")"
                            .formatted(workload.loop().maxNorm().orElseThrow(), part.count()));
        }
        return new CudaSession(workload, this, part);
    }
}
