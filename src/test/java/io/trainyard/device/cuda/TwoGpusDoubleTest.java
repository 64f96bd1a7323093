package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.DeviceException;
import io.trainyard.device.PartDevice;
import io.trainyard.device.Workload;
import io.trainyard.device.parallel.ParallelContract;
import io.trainyard.device.parallel.ParallelDevice;
import io.trainyard.spec.ClipSpec;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.LoopSpec;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

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
    protected Set<String> goldensItRefuses() {
        return Set.of("clip-norm", "loop-all");
    }

    @Override
    protected boolean refusesBatchNorm() {
        return true;
    }

    @Override
    public boolean has(LoopSpec loop) {
        return loop.maxNorm().isEmpty();
    }

    @Test
    void refusesToClipByTheNormOfGradientsThatNoneHasAllOf() {
        Workload workload = eventful().withLoop(new LoopSpec(false, 1, new ClipSpec(2.5, null), null));
        assertThatThrownBy(() -> device().open(workload))
                .isInstanceOf(DeviceException.class)
                .hasMessage(
                        "clipGradients.norm is 2.5: the norm is that of all gradients, but each of the 2 GPUs sums a part of them only; clip by value, or train on one GPU (\"device\" instead of \"devices\")");
    }
}
