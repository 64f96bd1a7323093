package io.trainyard.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/// Names and shapes as `state_dict()` of the PyTorch originals has them.
class BuiltInNetworksTest {
    @Test
    void tudui() {
        assertThat(parameters("tudui", Shape.of(3, 32, 32), 10))
                .containsExactly(
                        "model.0.weight 32x3x5x5",
                        "model.0.bias 32",
                        "model.2.weight 32x32x5x5",
                        "model.2.bias 32",
                        "model.4.weight 64x32x5x5",
                        "model.4.bias 64",
                        "model.7.weight 64x1024",
                        "model.7.bias 64",
                        "model.8.weight 10x64",
                        "model.8.bias 10");
    }

    @Test
    void lenet() {
        assertThat(parameters("lenet", Shape.of(3, 32, 32), 10))
                .containsExactly(
                        "conv1.weight 6x3x5x5",
                        "conv1.bias 6",
                        "conv2.weight 16x6x5x5",
                        "conv2.bias 16",
                        "fc1.weight 120x400",
                        "fc1.bias 120",
                        "fc2.weight 84x120",
                        "fc2.bias 84",
                        "fc3.weight 10x84",
                        "fc3.bias 10");
    }

    @Test
    void fashion() {
        assertThat(parameters("fashion", Shape.of(1, 28, 28), 10))
                .containsExactly(
                        "conv1.weight 6x1x5x5",
                        "conv1.bias 6",
                        "conv2.weight 12x6x5x5",
                        "conv2.bias 12",
                        "fc1.weight 120x192",
                        "fc1.bias 120",
                        "fc2.weight 60x120",
                        "fc2.bias 60",
                        "out.weight 10x60",
                        "out.bias 10");
    }

    @Test
    void signs() {
        assertThat(parameters("signs", Shape.of(3, 64, 64), 6))
                .containsExactly(
                        "fc1.weight 25x12288",
                        "fc1.bias 25",
                        "fc2.weight 16x25",
                        "fc2.bias 16",
                        "fc3.weight 6x16",
                        "fc3.bias 6");
    }

    /// As `ResNet18()` of kuangliu/pytorch-cifar: 122 entries, 11,173,962 trained elements.
    @Test
    void resnet18Cifar() {
        List<String> parameters = parameters("resnet18-cifar", Shape.of(3, 32, 32), 10);
        assertThat(parameters).hasSize(122);
        assertThat(parameters)
                .startsWith(
                        "conv1.weight 64x3x3x3",
                        "bn1.weight 64",
                        "bn1.bias 64",
                        "bn1.running_mean 64",
                        "bn1.running_var 64",
                        "bn1.num_batches_tracked scalar",
                        "layer1.0.conv1.weight 64x64x3x3",
                        "layer1.0.bn1.weight 64");
        assertThat(parameters.stream().filter(name -> name.startsWith("layer2.0.") && name.contains("weight")))
                .containsExactly(
                        "layer2.0.conv1.weight 128x64x3x3",
                        "layer2.0.bn1.weight 128",
                        "layer2.0.conv2.weight 128x128x3x3",
                        "layer2.0.bn2.weight 128",
                        "layer2.0.shortcut.0.weight 128x64x1x1",
                        "layer2.0.shortcut.1.weight 128");
        assertThat(parameters)
                .endsWith("layer4.1.bn2.num_batches_tracked scalar", "linear.weight 10x512", "linear.bias 10");
        assertThat(parameters.stream().filter(name -> name.contains("shortcut.0")))
                .hasSize(3);
        long trained = Network.fit(NetworkSpec.named("resnet18-cifar"), Shape.of(3, 32, 32), 10).parameters().stream()
                .filter(ParameterSpec::trained)
                .mapToLong(parameter -> parameter.shape().elements())
                .sum();
        assertThat(trained).isEqualTo(11_173_962);
    }

    @Test
    void sjnetIsTuduisOtherName() {
        assertThat(NetworkSpec.named("sjnet")).isEqualTo(NetworkSpec.named("tudui"));
        assertThat(BuiltInNetworks.names()).containsExactly("fashion", "lenet", "resnet18-cifar", "signs", "tudui");
    }

    @Test
    void aNetworkForOtherImagesIsRefused() {
        assertThatThrownBy(() -> Network.fit(NetworkSpec.named("lenet"), Shape.of(3, 32, 32), 6))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(
                        "the network's last layer \"fc3\" gives 10, but the data set has 6 classes, so it must give 6");
    }

    private static List<String> parameters(String name, Shape input, int classes) {
        return Network.fit(NetworkSpec.named(name), input, classes).parameters().stream()
                .map(parameter -> parameter.name() + " " + parameter.shape())
                .toList();
    }
}
