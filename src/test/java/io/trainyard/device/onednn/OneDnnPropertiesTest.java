package io.trainyard.device.onednn;

import io.trainyard.Slow;
import io.trainyard.device.Device;
import io.trainyard.device.ReferenceProperties;

@Slow
class OneDnnPropertiesTest extends ReferenceProperties {
    @Override
    public Device device() {
        return new OneDnnDeviceTest().device();
    }
}
