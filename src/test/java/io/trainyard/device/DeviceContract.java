package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.check.CheckWorkload;
import io.trainyard.spec.Shape;
import org.junit.jupiter.api.Test;

/// What every device must do. A backend's test is a subclass that opens its device.
public abstract class DeviceContract extends SessionContract implements NumbersContract {
    @Test
    void aCounterOfAnotherTypeIsRefused() {
        Workload workload = eventful();
        SessionState wrong =
                TestState.with(CheckWorkload.state(workload), "1.num_batches_tracked", TestState.tensor(Shape.of(), 1));
        try (LearningSession session = device().open(workload)) {
            assertThatThrownBy(() -> session.load(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(
                            "parameter 1.num_batches_tracked is float32 of shape scalar; expected is int64 of shape scalar");
        }
    }
}
