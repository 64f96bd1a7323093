package io.trainyard.device.stack;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.FloatSamplesContract;
import io.trainyard.device.SessionContract;
import io.trainyard.device.Workload;
import io.trainyard.device.vector.VectorDevice;
import org.junit.jupiter.api.AfterAll;

/// What every device must do, by sessions that are stacks of one.
class StackedDeviceTest extends SessionContract implements FloatSamplesContract {
    private static final OneStack STACKING =
            new OneStack(new VectorDevice(new DeviceInfo("cpu", "a model", "vectors", Long.MAX_VALUE)), 1);

    @Override
    public Device device() {
        return new Stacks().over(STACKING);
    }

    @Override
    public Workload eventful() {
        return withoutBatchNorm();
    }

    @AfterAll
    static void manyWereTakenInAStack() {
        assertThat(STACKING.rounds()).isGreaterThan(20);
    }
}
