package io.trainyard.device.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.check.Layers;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelRuleTest {
    @Test
    void theSmallBuiltInNetworksAreNarrowAndTuduiIsNot() {
        assertThat(narrow(builtIn("lenet", Shape.of(3, 32, 32), 10))).isTrue();
        assertThat(narrow(builtIn("fashion", Shape.of(1, 28, 28), 10))).isTrue();
        assertThat(narrow(builtIn("signs", Shape.of(3, 64, 64), 6))).isTrue();
        assertThat(narrow(builtIn("tudui", Shape.of(3, 32, 32), 10))).isFalse();
    }

    @Test
    void layersWithoutKernelsUseOneDnn() {
        assertThat(narrow(written(Layers.conv(4, 3, 1, 0, true)))).isTrue();
        assertThat(narrow(written(Layers.conv(4, 3, 2, 0, true)))).isFalse();
        assertThat(narrow(written(Layers.norm()))).isFalse();
    }

    @Test
    void narrowBfloat16NetworksUseOneDnn() {
        Network lenet = builtIn("lenet", Shape.of(3, 32, 32), 10);
        assertThat(KernelRule.narrow(lenet, Precision.BF16)).isFalse();
    }

    private static boolean narrow(Network network) {
        return KernelRule.narrow(network, Precision.FP32);
    }

    private static Network builtIn(String name, Shape input, int classes) {
        return Network.fit(NetworkSpec.named(name), input, classes);
    }

    private static Network written(LayerSpec first) {
        List<LayerSpec> layers = List.of(first, Layers.flatten(), Layers.linear(3, true));
        return Network.fit(NetworkSpec.ofLayers(layers), Shape.of(2, 8, 8), 3);
    }
}
