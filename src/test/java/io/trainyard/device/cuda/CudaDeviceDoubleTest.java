package io.trainyard.device.cuda;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceContract;
import io.trainyard.device.FloatSamplesContract;
import io.trainyard.device.NumbersContract;

/// Everything a device must do, through JCuda on the double of NVIDIA's libraries; small networks, too, step by step as
/// graphs.
@OnDouble
final class CudaDeviceDoubleTest extends DeviceContract implements NumbersContract, FloatSamplesContract {
    @Override
    public Device device() {
        return TestedCuda.device();
    }
}
