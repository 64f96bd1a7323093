package io.trainyard.device.parallel;

import io.trainyard.Slow;
import io.trainyard.device.ShardDevice;
import io.trainyard.spec.DeviceSpec;
import java.util.Collections;
import java.util.List;

@Slow
class ThreeCpusTest extends ParallelContract {
    @Override
    protected List<ShardDevice> devices() {
        return ParallelDevice.open(Collections.nCopies(3, new DeviceSpec("cpu")))
                .devices();
    }
}
