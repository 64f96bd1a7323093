package io.trainyard.device.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceBackend;
import io.trainyard.device.DeviceContract;
import io.trainyard.device.Devices;
import io.trainyard.spec.DeviceSpec;
import org.junit.jupiter.api.Test;

class ReferenceDeviceTest extends DeviceContract {
    @Override
    public Device device() {
        return new ReferenceBackend().open(new DeviceSpec("reference"));
    }

    @Test
    void isFoundByNameAndNeverChosen() {
        assertThat(Devices.backends()).anyMatch(ReferenceBackend.class::isInstance);
        assertThat(Devices.open(new DeviceSpec("reference")).info().name()).isEqualTo("reference");
    }
}
