package io.trainyard.device.cuda;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceContract;
import io.trainyard.device.FloatSamplesContract;
import io.trainyard.spec.DeviceSpec;

/// Everything a device must do, through JCuda on the double of NVIDIA's libraries.
@OnDouble
final class CudaDeviceDoubleTest extends DeviceContract implements FloatSamplesContract {
    @Override
    public Device device() {
        return new CudaBackend().open(new DeviceSpec("cuda:0"));
    }
}
