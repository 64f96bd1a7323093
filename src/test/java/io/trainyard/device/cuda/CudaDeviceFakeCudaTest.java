package io.trainyard.device.cuda;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceContract;
import io.trainyard.device.FloatSamplesContract;
import io.trainyard.device.NumbersContract;

/// The device contract through JCuda on the fake CUDA libraries. Small networks also run step by step as
/// graphs.
@OnFakeCuda
final class CudaDeviceFakeCudaTest extends DeviceContract implements NumbersContract, FloatSamplesContract {
    @Override
    public Device device() {
        return TestedCuda.device();
    }
}
