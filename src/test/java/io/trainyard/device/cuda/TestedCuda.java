package io.trainyard.device.cuda;

import io.trainyard.device.Device;
import io.trainyard.spec.DeviceSpec;

/// The first GPU, opened by a rule of the test's own.
final class TestedCuda {
    static final String CAPABILITY = "TRAINYARD_DOUBLE_CAPABILITY";

    private TestedCuda() {}

    /// Trains nothing in one kernel, however small.
    static Device ofGraphs() {
        return by(StepKernelRule.NEVER);
    }

    static Device by(StepKernelRule rule) {
        CudaDevice byItsOwn = (CudaDevice) new CudaBackend().open(new DeviceSpec("cuda:0"));
        return new CudaDevice(byItsOwn.info(), byItsOwn.number(), rule);
    }
}
