package io.trainyard.device.gang;

import io.trainyard.Slow;
import io.trainyard.device.Device;
import io.trainyard.device.PartDevice;
import io.trainyard.device.parallel.ParallelContract;
import java.util.List;

/// What every device must do, done by three processes' parts over sockets.
@Slow
class GangOfThreeTest extends ParallelContract {
    @Override
    protected List<PartDevice> devices() {
        throw new IllegalStateException("they are not in one process");
    }

    @Override
    public Device device() {
        return new LocalGang(3, 0);
    }
}
