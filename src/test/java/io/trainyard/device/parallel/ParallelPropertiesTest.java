package io.trainyard.device.parallel;

import io.trainyard.device.Device;
import io.trainyard.device.RandomNetwork;
import io.trainyard.device.ReferenceProperties;
import io.trainyard.spec.DeviceSpec;
import java.util.Collections;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Provide;

/// Batches of 2 to 7 samples on three devices: some have none.
class ParallelPropertiesTest extends ReferenceProperties {
    @Override
    public Device device() {
        return ParallelDevice.open(Collections.nCopies(3, new DeviceSpec("cpu")));
    }

    @Provide
    @Override
    protected Arbitrary<RandomNetwork> networks() {
        return RandomNetwork.arbitrary(layer -> !layer.needsWholeBatch());
    }
}
