package io.trainyard.device.parallel;

import io.trainyard.Slow;
import io.trainyard.device.Device;
import io.trainyard.device.ReferenceProperties;
import io.trainyard.spec.DeviceSpec;
import java.util.Collections;

/// Batches of 2 to 7 samples on three devices, so that some have none.
@Slow
class ParallelPropertiesTest extends ReferenceProperties {
    @Override
    public Device device() {
        return ParallelDevice.open(Collections.nCopies(3, new DeviceSpec("cpu")));
    }
}
