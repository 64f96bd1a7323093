package io.trainyard.device.cuda;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.device.cuda.driver.Gpus;
import io.trainyard.spec.Precision;
import java.util.EnumSet;
import java.util.OptionalLong;
import java.util.Set;

/// One GPU.
///
/// @param number among those that CUDA_VISIBLE_DEVICES leaves
record CudaDevice(DeviceInfo info, int number) implements Device {
    /// The compute capability from which on tensor cores take TensorFloat-32 and bfloat16.
    private static final int AMPERE = 80;

    @Override
    public Set<Precision> precisions() {
        return Gpus.architecture(number) < AMPERE ? Set.of(Precision.FP32) : EnumSet.allOf(Precision.class);
    }

    @Override
    public OptionalLong usedMemoryBytes() {
        return OptionalLong.of(Gpus.usedBytes(number));
    }

    @Override
    public LearningSession open(Workload workload) {
        workload.requirePrecision(info.name(), precisions());
        return new CudaSession(workload, number);
    }
}
