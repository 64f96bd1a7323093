package io.trainyard.device.cuda;

import io.trainyard.device.Device;
import io.trainyard.spec.DeviceSpec;

/// The first GPU of the fake CUDA libraries.
final class TestedCuda {
    static final String CAPABILITY = "TRAINYARD_FAKE_CAPABILITY";

    private TestedCuda() {}

    static Device device() {
        return new CudaBackend().open(new DeviceSpec("cuda:0"));
    }
}
