package io.trainyard.device.onednn;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceContract;
import io.trainyard.spec.DeviceSpec;

class OneDnnDeviceTest extends DeviceContract {
    @Override
    public Device device() {
        return new OneDnnBackend().open(new DeviceSpec("cpu"));
    }
}
