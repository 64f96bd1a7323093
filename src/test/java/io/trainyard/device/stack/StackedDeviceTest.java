package io.trainyard.device.stack;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Device;
import io.trainyard.device.DeviceInfo;
import io.trainyard.device.FloatSamplesContract;
import io.trainyard.device.SessionContract;
import io.trainyard.device.Workload;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.device.vector.VectorDevice;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Shape;
import java.util.List;
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
        List<LayerSpec> layers = List.of(
                Layers.conv(6, 3, 1, 1, true),
                Layers.conv(5, 3, 1, 1, true),
                Layers.relu(),
                Layers.pool(2, 2),
                Layers.dropout(0.25),
                Layers.flatten(),
                Layers.linear(10, true),
                Layers.dropout(0.5),
                Layers.linear(3, true));
        return CheckWorkload.of(Shape.of(2, 8, 7), 3, layers, CheckWorkload.MOMENTUM, 4, 19, 6);
    }

    @AfterAll
    static void manyWereTakenInAStack() {
        assertThat(STACKING.rounds()).isGreaterThan(20);
    }
}
