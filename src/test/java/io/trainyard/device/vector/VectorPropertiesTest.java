package io.trainyard.device.vector;

import io.trainyard.device.Device;
import io.trainyard.device.RandomNetwork;
import io.trainyard.device.ReferenceProperties;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.Shape;
import java.util.List;
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
        return RandomNetwork.arbitrary(VectorPropertiesTest::hasKernels);
    }

    private static boolean hasKernels(LayerSpec layer) {
        Shape any = Shape.of(1);
        return VectorDevice.computes(
                new Network(any, 1, List.of(new Network.Layer("0", layer, any, any, List.of(), List.of()))));
    }
}
