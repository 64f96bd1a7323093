package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.check.CheckWorkload;
import io.trainyard.spec.LossSpec;

/// What the contracts ask of a backend's test.
public interface TestedDevice {
    /// Opened anew for each session.
    Device device();

    /// Whether it computes the loss; otherwise it must refuse it.
    default boolean computes(LossSpec loss) {
        return true;
    }

    /// Sees to it that the device refuses a loss that it does not compute.
    ///
    /// @return whether it does
    default boolean isRefused(Workload workload) {
        if (computes(workload.loss())) {
            return false;
        }
        assertThatThrownBy(() -> device().open(workload))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("the loss is mse, which device cuda does not compute; name device cpu");
        return true;
    }

    /// A workload with all that the device carries from step to step; parameters in the layers 0, 1, 6 and 8.
    default Workload eventful() {
        return CheckWorkload.eventful();
    }
}
