package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceBusyException;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.DeviceMemoryException;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionAdmissionTest {
    private final SessionAdmission others = new SessionAdmission();
    private final Workload workload = CheckWorkload.of(
            Shape.of(1, 4, 4), 3, List.of(Layers.flatten(), Layers.linear(3, true)), CheckWorkload.PLAIN, 4, 4, 4);

    private record FullDevice(DeviceInfo info) implements Device {
        @Override
        public LearningSession open(Workload workload) {
            throw new DeviceMemoryException("9 MiB are needed, and 1 MiB is free");
        }
    }

    private Device device(String name, long bytes) {
        return new FullDevice(new DeviceInfo(name, "a model", "a device", bytes));
    }

    @Test
    void admitsSessionsAsLongAsMemorySuffices() {
        Device two = device("cpu", 2 * workload.estimatedBytes());
        SessionAdmission.Place first = others.join(two, workload);
        SessionAdmission.Place second = others.join(two, workload);
        assertThatThrownBy(() -> others.join(two, workload))
                .isInstanceOf(DeviceBusyException.class)
                .hasMessageContaining("the jobs that this worker runs on cpu (2)");
        first.close();
        assertThatCode(() -> others.join(two, workload)).doesNotThrowAnyException();
        second.close();
    }

    /// If a job is too large for a device by itself, the device reports it more precisely.
    @Test
    void admitsASingleSession() {
        SessionAdmission.Place alone = others.join(device("cpu", 1), workload);
        assertThatCode(() -> others.join(device("cuda:0", 1), workload)).doesNotThrowAnyException();
        alone.close();
    }

    @Test
    void aLackOfMemoryIsAttributedToOtherJobsIfThereAreAny() {
        Device device = device("cuda:0", Long.MAX_VALUE);
        SessionAdmission.Place first = others.join(device, workload);
        assertThatThrownBy(() -> first.open(() -> device.open(workload))).isInstanceOf(DeviceMemoryException.class);
        SessionAdmission.Place second = others.join(device, workload);
        assertThatThrownBy(() -> second.open(() -> device.open(workload)))
                .isInstanceOf(DeviceBusyException.class)
                .hasMessage(
                        "next to the jobs that this worker runs on cuda:0 (1): 9 MiB are needed, and 1 MiB is free");
        first.close();
        assertThatThrownBy(() -> second.open(() -> device.open(workload))).isInstanceOf(DeviceMemoryException.class);
        assertThat(FailureClassifier.isWorkers(new DeviceBusyException(""))).isTrue();
    }
}
