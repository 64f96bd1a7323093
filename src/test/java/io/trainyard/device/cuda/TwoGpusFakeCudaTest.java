package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.DeviceException;
import io.trainyard.device.LearningSession;
import io.trainyard.device.ShardDevice;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.parallel.ParallelContract;
import io.trainyard.device.parallel.ParallelDevice;
import io.trainyard.spec.ClipSpec;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.LoopSpec;
import java.util.List;
import java.util.Set;
import jcuda.driver.CUresult;
import org.junit.jupiter.api.Test;

/// Two fake GPUs as one device: streams wait for each other and exchange gradients and parameters.
@OnFakeCuda
final class TwoGpusFakeCudaTest extends ParallelContract {
    @Override
    protected List<ShardDevice> devices() {
        return ParallelDevice.open(List.of(new DeviceSpec("cuda:0"), new DeviceSpec("cuda:1")))
                .devices();
    }

    /// Includes a batch norm, which exchanges sums.
    @Override
    public Workload eventful() {
        return CheckWorkload.eventful();
    }

    @Override
    protected Set<String> goldensItRefuses() {
        return Set.of("clip-norm", "loop-all", "freeze-prefix", "groups-rmsprop");
    }

    @Override
    public boolean has(LoopSpec loop) {
        return loop.maxNorm().isEmpty();
    }

    /// A part fails between two exchanges, as with a lost GPU; the other part's thread must not wait forever.
    @Test
    void aFailureReleasesTheOthers() {
        try (LearningSession session = device().open(eventful())) {
            session.load(CheckWorkload.state(eventful()));
            session.beginEpoch(CheckWorkload.plan(eventful(), 1), 0);
            assertThat(session.advance(1)).hasSize(1);
            FakeCudaLibraries.fail("cuGraphLaunch", 2, CUresult.CUDA_ERROR_INVALID_HANDLE);
            try {
                assertThatThrownBy(() -> session.advance(1))
                        .isInstanceOf(DeviceException.class)
                        .hasMessageStartingWith("cuGraphLaunch");
            } finally {
                FakeCudaLibraries.failNoMore("cuGraphLaunch");
            }
        }
    }

    @Test
    void rejectsClippingByNormWithoutAllGradients() {
        Workload workload = eventful().withLoop(new LoopSpec(false, 1, new ClipSpec(2.5, null), null));
        assertThatThrownBy(() -> device().open(workload))
                .isInstanceOf(DeviceException.class)
                .hasMessage(
                        "clipGradients.norm is 2.5: the norm is that of all gradients, but each of the 2 GPUs sums a part of them only; clip by value, or train on one GPU (\"device\" instead of \"devices\")");
    }
}
