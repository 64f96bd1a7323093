package io.trainyard.device.vector;

import io.trainyard.device.Device;
import io.trainyard.device.RandomNetwork;
import io.trainyard.device.ReferenceProperties;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Provide;

class VectorPropertiesTest extends ReferenceProperties {
    @Override
    public Device device() {
        return new VectorDeviceTest().device();
    }

    @Provide
    @Override
    protected Arbitrary<RandomNetwork> networks() {
        return RandomNetwork.arbitrary(VectorChain::computes);
    }
}
