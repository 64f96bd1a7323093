package io.trainyard.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Shape;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Compares SHA-256 sums of initial weights with those of PyTorch 2.13 for `torch.manual_seed(0)`, from the
/// golden files.
class InitializerTest {
    @ParameterizedTest
    @CsvSource({
        "tudui, 3, 32, 10, b449b3ec9986e4528ace48df8caec5b0660212e12fbda955ee5f2afe6b6f7b74",
        "lenet, 3, 32, 10, cf9902a5552b91970d4c47476a2095d238ce4be9612f37031e9e16a1323133f8",
        "fashion, 1, 28, 10, b57f68176a4dc840af1a9ead32029686a64fa894fdb944905a2ffaeb8c4531f4",
        "resnet18-cifar, 3, 32, 10, 9c9ea7a094c37cf2cdd28ee725a312a92f4b4dcbe2284f9b76a2114c4c6445c5",
        "signs, 3, 64, 6, 06beaab2320f789f7d221ad8b489f48bd984bbab265ec904251487bb82027843",
    })
    void drawsPyTorchsWeights(String name, int channels, int side, int classes, String sha256) {
        Network network = Network.fit(NetworkSpec.named(name), Shape.of(channels, side, side), classes);
        Parameters initial = Initializer.initial(network, new TorchRandom(0));
        assertThat(initial.sha256()).isEqualTo(sha256);
    }
}
