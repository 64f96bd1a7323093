package io.trainyard.device.cuda;

import io.trainyard.device.PartDevice;
import io.trainyard.device.parallel.ParallelContract;
import io.trainyard.device.parallel.ParallelDevice;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.LossSpec;
import java.util.List;

/// Two GPUs of the double as one device: streams wait for one another, gradients and parameters go from one to the
/// other.
@OnDouble
final class TwoGpusDoubleTest extends ParallelContract {
    @Override
    protected List<PartDevice> devices() {
        return ParallelDevice.open(List.of(new DeviceSpec("cuda:0"), new DeviceSpec("cuda:1")))
                .devices();
    }

    @Override
    public boolean computes(LossSpec loss) {
        return !loss.isRegression();
    }
}
