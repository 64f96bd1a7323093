package io.trainyard.device.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceLostException;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.device.check.Bits;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.device.parallel.ParallelDevice;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.Map;
import jcuda.driver.CUresult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Copies between two GPUs: on machines with peer access, without it, and with peer access that does not work.
@OnFakeCuda
final class PeersFakeCudaTest {
    private static final String PEERS = "TRAINYARD_FAKE_PEERS";
    private static final String ENABLE = "cuCtxEnablePeerAccess";
    private static final int STEPS = 4;

    @BeforeEach
    @AfterEach
    void relaunch() {
        FakeCudaLibraries.set(PEERS, "");
        FakeCudaLibraries.failNoMore(ENABLE);
        FakeCudaLibraries.failNoMore("cuGraphLaunch");
        FakeCudaLibraries.relaunch(); // peer access is cached
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "2"})
    void copiesThroughTheHostIfDirectCopiesFail(String peers) {
        Map<String, String> expected = train();
        FakeCudaLibraries.relaunch();
        FakeCudaLibraries.set(PEERS, peers);
        long disabled = FakeCudaLibraries.calls("cuCtxDisablePeerAccess");
        assertThat(train()).isEqualTo(expected);
        assertThat(FakeCudaLibraries.calls("cuCtxDisablePeerAccess") - disabled)
                .as("each of the two has tried and given up")
                .isEqualTo(peers.equals("2") ? 2 : 0);
    }

    @Test
    void copiesThroughTheHostAtThePeerLimit() {
        Map<String, String> expected = train();
        FakeCudaLibraries.relaunch();
        FakeCudaLibraries.fail(ENABLE, 0, CUresult.CUDA_ERROR_TOO_MANY_PEERS);
        assertThat(train()).isEqualTo(expected);
    }

    /// Parameter updates that read the peer's memory are already queued when a later launch fails.
    @Test
    void aSessionThatFailsInAStepClosesWithoutLosingADevice() {
        for (int i = 0; i < 10; i++) {
            LearningSession session = started();
            FakeCudaLibraries.fail("cuGraphLaunch", 4, CUresult.CUDA_ERROR_INVALID_VALUE);
            assertThatThrownBy(() -> session.advance(STEPS))
                    .isInstanceOf(DeviceException.class)
                    .isNotInstanceOf(DeviceLostException.class);
            session.close();
        }
        try (LearningSession next = started()) {
            assertThat(next.advance(STEPS)).hasSize(STEPS);
        }
    }

    private static Map<String, String> train() {
        try (LearningSession session = started()) {
            assertThat(session.advance(STEPS)).doesNotContain(Float.NaN);
            return Bits.of(session.save());
        }
    }

    private static LearningSession started() {
        Workload workload = CheckWorkload.of(
                Shape.of(1, 6, 6),
                3,
                List.of(Layers.conv(3, 3, 1, 1, true), Layers.relu(), Layers.flatten(), Layers.linear(3, true)),
                CheckWorkload.MOMENTUM,
                4,
                STEPS * 4,
                6);
        LearningSession session = ParallelDevice.open(List.of(new DeviceSpec("cuda:0"), new DeviceSpec("cuda:1")))
                .open(workload);
        session.load(CheckWorkload.state(workload));
        session.beginEpoch(CheckWorkload.plan(workload, 1), 0);
        return session;
    }
}
