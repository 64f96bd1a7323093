package io.trainyard.device.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Slow;
import io.trainyard.device.Device;
import io.trainyard.device.DeviceContract;
import io.trainyard.device.DeviceException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.Devices;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.LayerCase;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReferenceDeviceTest extends DeviceContract {
    @Override
    public Device device() {
        return new ReferenceBackend().open(new DeviceSpec("reference"));
    }

    @Test
    void isFoundByNameAndNeverChosen() {
        ReferenceBackend backend = new ReferenceBackend();
        assertThat(backend.rank()).isZero();
        assertThat(backend.devices()).singleElement().isEqualTo(device().info());
        assertThat(Devices.backends()).anyMatch(ReferenceBackend.class::isInstance);
        assertThat(Devices.open(new DeviceSpec("reference")).info().name()).isEqualTo("reference");
    }

    @Slow
    @ParameterizedTest
    @MethodSource("io.trainyard.device.check.LayerCases#all")
    void gradientsAreTheLossesSlopes(LayerCase row) {
        Slopes.check(device(), CheckWorkload.of(row, CheckWorkload.PLAIN));
    }

    @Test
    void alwaysComputesWithOneThread() {
        try (LearningSession session = device().open(CheckWorkload.eventful().withThreads(7))) {
            assertThat(session.threads()).isEqualTo(1);
        }
    }

    @Test
    void rejectsDatasetsLargerThanTheHeap() {
        Workload workload = CheckWorkload.eventful();
        assertThatThrownBy(() ->
                        new ReferenceDevice(new DeviceInfo("reference", "a model", "small", 1 << 10)).open(workload))
                .isInstanceOf(DeviceMemoryException.class)
                .hasMessageMatching("the network with batches of 4 needs about \\d+ KiB, but the Java heap of device"
                        + " reference is 1 KiB at most; choose a smaller batchSize or network, or give Java more with"
                        + " -Xmx");
    }

    @Test
    void refusesBatchesThatFitNoArray() {
        LayerCase row = new LayerCase(
                "wide",
                Shape.of(1, 2, 2),
                2,
                List.of(Layers.flatten(), Layers.linear(1 << 20, false), Layers.linear(2, false)));
        Workload workload =
                CheckWorkload.of(row.input(), row.classes(), row.layers(), CheckWorkload.PLAIN, 2048, 2048, 1);
        assertThatThrownBy(() -> new ReferenceDevice(new DeviceInfo("reference", "a model", "huge", Long.MAX_VALUE))
                        .open(workload))
                .isInstanceOf(DeviceException.class)
                .hasMessage("layer \"1\" has 1048576 elements a sample, too many for batches of 2048 on device"
                        + " reference; allowed is a batchSize up to 2047");
    }
}
