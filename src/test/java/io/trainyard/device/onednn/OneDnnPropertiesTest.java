package io.trainyard.device.onednn;

import io.trainyard.device.Device;
import io.trainyard.device.ReferenceProperties;

class OneDnnPropertiesTest extends ReferenceProperties {
    @Override
    public Device device() {
        return new OneDnnDeviceTest().device();
    }
}
