package io.trainyard.device.parallel;

import io.trainyard.Slow;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.PartDevice;
import io.trainyard.device.onednn.OneDnnDevice;
import io.trainyard.device.onednn.OneDnnLibrary;
import java.util.Collections;
import java.util.List;

/// What the device `cpu` would give to kernels of its own, computed by oneDNN.
@Slow
class ThreeOneDnnDevicesTest extends ParallelContract {
    @Override
    protected List<PartDevice> devices() {
        OneDnnLibrary library = OneDnnLibrary.loaded();
        DeviceInfo info = new DeviceInfo("cpu", "a model", library.description(), Long.MAX_VALUE);
        return Collections.nCopies(3, new OneDnnDevice(info, library));
    }
}
