package io.trainyard.device.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.spec.BatchNorm;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Pooling;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Residual;
import io.trainyard.spec.Shape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class ThreadRuleTest {
    @Test
    void everyThreadHasEnoughToDo() {
        assertThat(ThreadRule.threads(lenet(), Precision.FP32, 4, 8)).isEqualTo(2);
        assertThat(ThreadRule.threads(lenet(), Precision.FP32, 1, 8)).isEqualTo(1);
        assertThat(ThreadRule.threads(lenet(), Precision.FP32, 256, 8)).isEqualTo(8);
        assertThat(ThreadRule.threads(signs(), Precision.FP32, 32, 64)).isEqualTo(8);
        assertThat(ThreadRule.threads(fashion(), Precision.FP32, 100, 2)).isEqualTo(2);
    }

    @Test
    void wideNetworksWithLargeBatchesUseAllCpus() {
        assertThat(ThreadRule.threads(tudui(), Precision.FP32, 64, 8)).isEqualTo(8);
        assertThat(ThreadRule.threads(tudui(), Precision.FP32, 64, 64)).isEqualTo(64);
        assertThat(ThreadRule.threads(tudui(), Precision.FP32, 1, 8)).isEqualTo(1);
    }

    /// Each batch norm adds as many barriers as a whole step has without it.
    @Test
    void batchNormsMustJustifyTheirBarriers() {
        assertThat(ThreadRule.threads(normalising(0), Precision.FP32, 64, 8)).isEqualTo(8);
        assertThat(ThreadRule.threads(normalising(7), Precision.FP32, 64, 8)).isEqualTo(3);
        Network resnet18 = Network.fit(NetworkSpec.named("resnet18-cifar"), Shape.of(3, 32, 32), 10);
        assertThat(ThreadRule.threads(resnet18, Precision.FP32, 32, 4)).isEqualTo(4);
    }

    /// About 2.7 million floating-point operations per sample.
    private static Network normalising(int norms) {
        List<LayerSpec> layers = new ArrayList<>();
        layers.add(new Conv2d(null, 16, 3, 1, 1, true));
        layers.addAll(Collections.nCopies(norms, new BatchNorm.BatchNorm2d(null)));
        layers.add(new Pooling.AdaptiveAvgPool2d(null, 1));
        layers.add(new LayerSpec.Flatten(null));
        layers.add(new LayerSpec.Linear(null, 10, true));
        return Network.fit(NetworkSpec.ofLayers(layers), Shape.of(3, 32, 32), 10);
    }

    @Test
    void stepsHaveTheOperationsOneCountsByHand() {
        // One sample's forward pass; two operations each, in three passes.
        long multiplyAdds = 32L * 32 * 32 * 75 + 16 * 16 * 32 * 800 + 8 * 8 * 64 * 800 + 1024 * 64 + 640;
        assertThat(ThreadRule.stepFlop(tudui(), 64)).isEqualTo(64 * 3 * 2 * multiplyAdds);
        assertThat(ThreadRule.stepFlop(lenet(), 4) / 1e6).isCloseTo(15.6, Offset.offset(0.2));
    }

    @Test
    void layersWithinResidualsAndGroupsCount() {
        LayerSpec grouped = new Conv2d(null, 6, 3, 1, 1, 1, 2, true);
        LayerSpec pointwise = new Conv2d(null, 6, 1, 1, 0, true);
        Network network = Network.fit(
                NetworkSpec.ofLayers(List.of(
                        new Residual(null, List.of(grouped), List.of(pointwise)),
                        new LayerSpec.Flatten(null),
                        new LayerSpec.Linear(null, 3, true))),
                Shape.of(4, 5, 5),
                3);
        long multiplyAdds = 6 * 25 * (2 * 9) + 6 * 25 * 4 + 150 * 3;
        assertThat(ThreadRule.stepFlop(network, 7)).isEqualTo(7 * 3 * 2 * multiplyAdds);
    }

    private static Network tudui() {
        return Network.fit(NetworkSpec.named("tudui"), Shape.of(3, 32, 32), 10);
    }

    private static Network lenet() {
        return Network.fit(NetworkSpec.named("lenet"), Shape.of(3, 32, 32), 10);
    }

    private static Network fashion() {
        return Network.fit(NetworkSpec.named("fashion"), Shape.of(1, 28, 28), 10);
    }

    private static Network signs() {
        return Network.fit(NetworkSpec.named("signs"), Shape.of(3, 64, 64), 6);
    }
}
