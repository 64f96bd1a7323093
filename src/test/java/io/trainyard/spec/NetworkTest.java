package io.trainyard.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.trainyard.spec.ActivationFunction.Gelu;
import io.trainyard.spec.ActivationFunction.Relu;
import io.trainyard.spec.BatchNorm.BatchNorm2d;
import io.trainyard.spec.DropoutLayer.Dropout;
import io.trainyard.spec.DropoutLayer.Dropout2d;
import io.trainyard.spec.LayerSpec.Flatten;
import io.trainyard.spec.LayerSpec.Linear;
import io.trainyard.spec.Pooling.AdaptiveAvgPool2d;
import io.trainyard.spec.Pooling.AvgPool2d;
import io.trainyard.spec.Pooling.MaxPool2d;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class NetworkTest {
    @Test
    void shapesAndParametersFollowFromTheImages() {
        Network network = fit(
                Shape.of(3, 9, 8),
                4,
                new Conv2d(null, 6, 3, 2, 1, false),
                new BatchNorm2d("norm"),
                new Relu(null),
                new MaxPool2d(null, 2, 2),
                new Dropout(null, 0.5),
                new Flatten(null),
                new Linear("head.fc", 4, true));
        assertThat(network.layers())
                .extracting(layer -> layer.name() + " " + layer.in() + " -> " + layer.out())
                .containsExactly(
                        "0 3x9x8 -> 6x5x4",
                        "norm 6x5x4 -> 6x5x4",
                        "2 6x5x4 -> 6x5x4",
                        "3 6x5x4 -> 6x2x2",
                        "4 6x2x2 -> 6x2x2",
                        "5 6x2x2 -> 24",
                        "head.fc 24 -> 4");
        assertThat(network.parameters())
                .extracting(p -> p.name() + " " + p.shape() + (p.trained() ? "" : " buffer"))
                .containsExactly(
                        "0.weight 6x3x3x3",
                        "norm.weight 6",
                        "norm.bias 6",
                        "norm.running_mean 6 buffer",
                        "norm.running_var 6 buffer",
                        "norm.num_batches_tracked scalar buffer",
                        "head.fc.weight 4x24",
                        "head.fc.bias 4");
        assertThat(network.parameterElements()).isEqualTo(6 * 27 + 4 * 6 + 1 + 4 * 24 + 4);
        assertThat(network.activationElements()).isEqualTo(3 * 72 + 3 * 120 + 3 * 24 + 4);
        assertThat(network.maskElements()).isEqualTo(24);
    }

    @Test
    void aNormThatIsNotAffineHasItsStatisticsAlone() {
        Network network = fit(
                Shape.of(3, 2, 2),
                4,
                new BatchNorm2d("a", 1e-3, 0.5, false),
                new Flatten(null),
                new Linear("fc", 4, false),
                new BatchNorm.BatchNorm1d("b", 1e-3, 0.5, true));
        assertThat(network.parameters())
                .extracting(p -> p.name() + " " + p.shape())
                .containsExactly(
                        "a.running_mean 3",
                        "a.running_var 3",
                        "a.num_batches_tracked scalar",
                        "fc.weight 4x12",
                        "b.weight 4",
                        "b.bias 4",
                        "b.running_mean 4",
                        "b.running_var 4",
                        "b.num_batches_tracked scalar");
        assertThat(network.wholeBatchLayers()).extracting(Network.Layer::name).containsExactly("a", "b");
    }

    @Test
    void normsOfASampleHaveAScaleForEachChannelOrPlace() {
        Network network = fit(
                Shape.of(4, 2, 3),
                24,
                new SampleNorm.GroupNorm("group", 2, 0.1, true),
                new SampleNorm.LayerNorm("all", List.of(), 0.1, true),
                new SampleNorm.LayerNorm("rows", List.of(3), 0.1, true),
                new SampleNorm.LayerNorm2d("pixels", 0.1, true),
                new SampleNorm.LayerNorm2d("plain", 0.1, false),
                new LayerSpec.LayerScale("scale", 0.25),
                new Flatten(null));
        assertThat(network.parameters())
                .extracting(p -> p.name() + " " + p.shape() + " " + p.init())
                .containsExactly(
                        "group.weight 4 Constant[value=1.0]",
                        "group.bias 4 Constant[value=0.0]",
                        "all.weight 4x2x3 Constant[value=1.0]",
                        "all.bias 4x2x3 Constant[value=0.0]",
                        "rows.weight 3 Constant[value=1.0]",
                        "rows.bias 3 Constant[value=0.0]",
                        "pixels.weight 4 Constant[value=1.0]",
                        "pixels.bias 4 Constant[value=0.0]",
                        "scale.gamma 4 Constant[value=0.25]");
        assertThat(network.wholeBatchLayers()).isEmpty();
    }

    @Test
    void onlyDropoutAboveZeroHasMasks() {
        Network network = fit(
                Shape.of(1, 2, 3),
                2,
                new Dropout(null, 0.5),
                new Dropout(null, 0),
                new Flatten(null),
                new Linear(null, 2, true),
                new Dropout(null, 0.25));
        assertThat(network.masks())
                .containsExactly(entry("0", new MaskSpec(0.5, 6)), entry("4", new MaskSpec(0.25, 2)));
        assertThat(network.maskElements()).isEqualTo(6 + 2);
    }

    @Test
    void dropout2dHasOneMaskValueAChannel() {
        Network network = fit(
                Shape.of(3, 4, 5),
                2,
                new Dropout2d(null, 0.5),
                new Dropout2d(null, 0),
                new Flatten(null),
                new Linear(null, 2, true));
        assertThat(network.masks()).containsExactly(entry("0", new MaskSpec(0.5, 3)));
    }

    @Test
    void aGroupSeesItsShareOfTheChannels() {
        Network network = fit(
                Shape.of(4, 9, 8),
                8,
                new Conv2d(null, 6, 3, 2, 0, 2, 2, true),
                new AdaptiveAvgPool2d(null, 1),
                new Flatten(null),
                new Linear(null, 8, false));
        assertThat(network.layers().getFirst().out()).isEqualTo(Shape.of(6, 3, 2));
        assertThat(network.parameters().get(0).shape()).isEqualTo(Shape.of(6, 2, 3, 3));
        assertThat(network.parameters().get(1).init()).isEqualTo(new ParameterSpec.Init.Uniform(1 / Math.sqrt(2 * 9)));
    }

    @Test
    void layersWithinAResidualAreSeen() {
        Network network = fit(
                Shape.of(2, 4, 4),
                3,
                new Residual(
                        "block",
                        List.of(
                                new Conv2d("conv", 5, 3, 2, 1, false),
                                new Residual(null, List.of(new Relu(null), new Dropout2d("drop", 0.5)), List.of())),
                        List.of(new Conv2d(null, 5, 1, 2, 0, true), new Dropout(null, 0.5))),
                new Residual(null, List.of(new BatchNorm2d(null)), List.of()),
                new Flatten(null),
                new Linear("fc", 3, false));
        assertThat(network.layers()).hasSize(4);
        assertThat(network.allLayers())
                .extracting(layer -> layer.name() + " " + layer.in() + " -> " + layer.out())
                .containsExactly(
                        "block 2x4x4 -> 5x2x2",
                        "block.conv 2x4x4 -> 5x2x2",
                        "block.1 5x2x2 -> 5x2x2",
                        "block.1.0 5x2x2 -> 5x2x2",
                        "block.1.drop 5x2x2 -> 5x2x2",
                        "block.shortcut.0 2x4x4 -> 5x2x2",
                        "block.shortcut.1 5x2x2 -> 5x2x2",
                        "1 5x2x2 -> 5x2x2",
                        "1.0 5x2x2 -> 5x2x2",
                        "2 5x2x2 -> 20",
                        "fc 20 -> 3");
        assertThat(network.parameters())
                .extracting(p -> p.name() + " " + p.shape())
                .containsExactly(
                        "block.conv.weight 5x2x3x3",
                        "block.shortcut.0.weight 5x2x1x1",
                        "block.shortcut.0.bias 5",
                        "1.0.weight 5",
                        "1.0.bias 5",
                        "1.0.running_mean 5",
                        "1.0.running_var 5",
                        "1.0.num_batches_tracked scalar",
                        "fc.weight 3x20");
        assertThat(network.activationElements()).isEqualTo(32 + 10 * 20 + 3);
        assertThat(network.masks())
                .containsExactly(
                        entry("block.1.drop", new MaskSpec(0.5, 5)), entry("block.shortcut.1", new MaskSpec(0.5, 20)));
        assertThat(network.maskElements()).isEqualTo(5 + 20);
        assertThat(network.wholeBatchLayers()).extracting(Network.Layer::name).containsExactly("1.0");
        assertThat(network.multiplyAdds()).isEqualTo(20 * 2 * 9 + 20 * 2 + 20 * 3);
    }

    @Test
    void layersWithoutANameInAConcatHaveTheIndexOfTheirBranch() {
        Network network = fit(
                Shape.of(2, 4, 4),
                6,
                new Concat(
                        "mixed",
                        List.of(
                                List.of(),
                                List.of(new Relu(null), new Conv2d("conv", 3, 1, 1, 0, false)),
                                List.of(new BatchNorm2d(null)))),
                new Gate("se", List.of(new AdaptiveAvgPool2d(null, 1), new Conv2d("fc", 7, 1, 1, 0, true))),
                new AdaptiveAvgPool2d(null, 1),
                new Flatten(null),
                new Linear("head", 6, false));
        assertThat(network.allLayers())
                .extracting(layer -> layer.name() + " -> " + layer.out())
                .containsExactly(
                        "mixed -> 7x4x4",
                        "mixed.1.0 -> 2x4x4",
                        "mixed.conv -> 3x4x4",
                        "mixed.2.0 -> 2x4x4",
                        "se -> 7x4x4",
                        "se.0 -> 7x1x1",
                        "se.fc -> 7x1x1",
                        "2 -> 7x1x1",
                        "3 -> 7",
                        "head -> 6");
        assertThat(network.parameters())
                .extracting(ParameterSpec::name)
                .startsWith("mixed.conv.weight", "mixed.2.0.weight", "mixed.2.0.bias")
                .endsWith("se.fc.weight", "se.fc.bias", "head.weight");
    }

    @Test
    void frozenParametersAreNotTrainedAndNeedNoGradient() {
        Network resnet = Network.fit(NetworkSpec.named("resnet18-cifar"), Shape.of(3, 32, 32), 10);
        Network frozen = resnet.freeze(List.of("conv1", "bn?.*", "layer1", "layer2.*.conv*"), true);
        assertThat(frozen.parameters())
                .filteredOn(ParameterSpec::trained)
                .extracting(ParameterSpec::name)
                .doesNotContain("conv1.weight", "bn1.bias", "layer1.0.conv1.weight", "layer2.1.conv2.weight")
                .contains("layer2.0.bn1.weight", "layer2.0.shortcut.0.weight", "linear.bias");
        assertThat(frozen.wholeBatchLayers())
                .extracting(Network.Layer::name)
                .startsWith("layer2.0.bn1")
                .doesNotContain("bn1", "layer1.0.bn1");
        assertThat(frozen.allLayers())
                .filteredOn(layer -> layer.spec() instanceof BatchNorm && !layer.isMergeableNorm())
                .isEmpty(); // no kept statistics are in the backward pass
        assertThat(resnet.freeze(List.of("linear"), true).wholeBatchLayers()).isEqualTo(resnet.wholeBatchLayers());
        assertThat(frozen.trainingMultiplyAdds()).isLessThan(resnet.trainingMultiplyAdds() * 3 / 4);
        assertThat(resnet.freeze(List.of("conv1", "bn1", "layer*"), false).trainingMultiplyAdds())
                .isEqualTo(resnet.multiplyAdds() + 512 * 10);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        layr1.* | freeze[0] is "layr1.*", which matches no parameter or layer of the network; did you mean "layer1"?; it has conv1.weight, bn1.weight, bn1.bias, layer1.0.conv1.weight
        conv1.w | freeze[0] is "conv1.w", which matches no parameter or layer of the network; did you mean "conv1"?; it has conv1.weight
        xyz     | freeze[0] is "xyz", which matches no parameter or layer of the network; it has conv1.weight
        *mean   | freeze[0] is "*mean", which matches no parameter or layer of the network; it has conv1.weight
        *       | freeze is [*], which leaves no parameter to train; leave out a pattern
        """)
    void patternsMustMatchAndLeaveSomethingToTrain(String pattern, String message) {
        Network resnet = Network.fit(NetworkSpec.named("resnet18-cifar"), Shape.of(3, 32, 32), 10);
        assertThatThrownBy(() -> resnet.freeze(List.of(pattern), false))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageStartingWith(message)
                .hasMessageMatching("(?s).{1,1500}");
    }

    @Test
    void computesNoGradientOfTheImages() {
        Network lenet = Network.fit(NetworkSpec.named("lenet"), Shape.of(3, 32, 32), 10);
        long first = 28 * 28 * 6 * 75;
        long others = 10 * 10 * 16 * 150 + 400 * 120 + 120 * 84 + 84 * 10;
        assertThat(lenet.multiplyAdds()).isEqualTo(first + others).isEqualTo(651_720);
        assertThat(lenet.trainingMultiplyAdds())
                .isEqualTo(2 * first + 3 * others)
                .isEqualTo(1_602_360);
    }

    @Test
    void stridesPaddingDilationAndGroupsAreCounted() {
        Network network = fit(
                Shape.of(3, 9, 8),
                4,
                new Conv2d(null, 6, 3, 2, 1, false), // 6x5x4
                new Relu(null),
                new Conv2d(null, 8, 3, 1, 2, 2, 2, true), // 8x5x4, from three channels each
                new Flatten(null),
                new Linear(null, 4, true));
        assertThat(network.multiplyAdds()).isEqualTo(120 * 27 + 160 * 27 + 160 * 4);
        assertThat(network.trainingMultiplyAdds()).isEqualTo(2 * 120 * 27 + 3 * (160 * 27 + 160 * 4));
    }

    /// He et al. publish no number for it; 0.56 GMACs is the usual one for kuangliu/pytorch-cifar.
    @Test
    void resnet18HasItsKnownMultiplyAdds() {
        Network network = Network.fit(NetworkSpec.named("resnet18-cifar"), Shape.of(3, 32, 32), 10);
        long first = 1024 * 64 * 27;
        assertThat(network.multiplyAdds()).isEqualTo(555_422_720);
        assertThat(network.trainingMultiplyAdds()).isEqualTo(3 * 555_422_720L - first);
    }

    @Test
    void aLayersInputHasAGradientIfAnEarlierLayerIsTrained() {
        LayerSpec one = new Conv2d(null, 2, 1, 1, 0, false);
        Network branched = fit(
                Shape.of(2, 3, 3),
                18,
                new Dropout(null, 0.5),
                new Residual(null, List.of(one, one), List.of(one)),
                new Flatten(null));
        assertThat(branched.trainingMultiplyAdds()).isEqualTo((2 + 3 + 2) * 36);
        Network normed = fit(Shape.of(2, 3, 3), 18, new BatchNorm2d(null), one, new Flatten(null));
        assertThat(normed.trainingMultiplyAdds()).isEqualTo(3 * 36);
    }

    @Test
    void poolingsMakeImagesSmaller() {
        Network network = fit(
                Shape.of(3, 9, 8),
                12,
                new AvgPool2d(null, 3, 2),
                new AdaptiveAvgPool2d(null, 2),
                new Gelu(null, "none"),
                new Flatten(null));
        assertThat(network.layers())
                .extracting(layer -> layer.in() + " -> " + layer.out())
                .containsExactly("3x9x8 -> 3x4x3", "3x4x3 -> 3x2x2", "3x2x2 -> 3x2x2", "3x2x2 -> 12");
    }

    static Stream<Arguments> misfits() throws IOException {
        return JobTexts.recorded("network-misfits.txt");
    }

    @ParameterizedTest
    @MethodSource("misfits")
    void aShapeMismatchNamesTheLayerAndBothShapes(String layers, String sentence) {
        NetworkSpec network = JobTexts.read(JobTexts.layers(layers)).network();
        assertThatThrownBy(() -> Network.fit(network, Shape.of(3, 8, 8), 10))
                .isInstanceOf(InvalidJobException.class)
                .hasMessage(sentence);
    }

    private static Network fit(Shape input, int classes, LayerSpec... layers) {
        return Network.fit(NetworkSpec.ofLayers(List.of(layers)), input, classes);
    }
}
