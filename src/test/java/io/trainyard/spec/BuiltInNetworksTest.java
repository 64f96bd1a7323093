package io.trainyard.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BuiltInNetworksTest {
    static Stream<Arguments> networks() throws IOException {
        return JobTexts.recorded("network-parameters.txt");
    }

    /// Compares each `state_dict()`; `resnet18-cifar` equals `ResNet18()` of kuangliu/pytorch-cifar.
    ///
    /// @param network its name, the shape of an image and the number of classes
    @ParameterizedTest
    @MethodSource("networks")
    void parametersHaveTheirNamesAndShapes(String network, String parameters) {
        String[] words = network.split(" ");
        Shape image = Shape.of(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3]));
        assertThat(Network.fit(NetworkSpec.named(words[0]), image, Integer.parseInt(words[4])).parameters().stream()
                        .map(parameter -> parameter.name() + " " + parameter.shape())
                        .collect(Collectors.joining(", ")))
                .isEqualTo(parameters);
    }

    @Test
    void sjnetIsTuduisOtherName() {
        assertThat(NetworkSpec.named("sjnet")).isEqualTo(NetworkSpec.named("tudui"));
        assertThat(BuiltInNetworks.names())
                .containsExactly(
                        "fashion",
                        "lenet",
                        "mobilenet-v2",
                        "resnet18",
                        "resnet18-cifar",
                        "resnet34",
                        "resnet50",
                        "signs",
                        "tudui");
    }

    @Test
    void aNetworkForOtherImagesIsRefused() {
        assertThatThrownBy(() -> Network.fit(NetworkSpec.named("lenet"), Shape.of(3, 32, 32), 6))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(
                        "the network's last layer \"fc3\" gives 10, but the dataset has 6 classes, so it must give 6");
        assertThatThrownBy(() -> Network.fit(NetworkSpec.named("resnet50"), Shape.of(3, 32, 32), 10))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(
                        "network is \"resnet50\", which takes images of 3x224x224, but the dataset's are 3x32x32; give a folder of images \"resize\": 256 and \"centerCrop\": 224 in dataset, and \"colors\": \"rgb\" if they are grey");
    }
}
