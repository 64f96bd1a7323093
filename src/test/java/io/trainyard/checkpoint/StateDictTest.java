package io.trainyard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.Parameters;
import io.trainyard.device.Tensor;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Shape;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StateDictTest {
    /// Names of torchvision's resnet18 and convnext_tiny and of timm's resnet18, vgg16, convnext_tiny and
    /// mobilenetv2_100, and those of the same layers here.
    @ParameterizedTest
    @CsvSource(delimiter = ' ', textBlock = """
        layer2.0.downsample.1.running_mean layer2.0.shortcut.1.running_mean
        layer4.1.conv2.weight layer4.1.conv2.weight
        features.5.8.layer_scale features.5.8.scale.gamma
        pre_logits.fc1.weight classifier.0.weight
        pre_logits.fc2.bias classifier.3.bias
        head.fc.bias classifier.6.bias
        head.fc.bias classifier.2.bias
        head.norm.weight classifier.0.weight
        stem.1.weight features.0.1.weight
        stages.1.downsample.0.bias features.2.0.bias
        stages.2.blocks.8.conv_dw.weight features.5.8.block.0.weight
        stages.2.blocks.8.norm.weight features.5.8.block.2.weight
        stages.2.blocks.8.mlp.fc1.weight features.5.8.block.3.weight
        stages.2.blocks.8.mlp.fc2.weight features.5.8.block.5.weight
        stages.0.blocks.2.gamma features.1.2.scale.gamma
        conv_stem.weight features.0.0.weight
        bn1.running_var features.0.1.running_var
        blocks.0.0.conv_dw.weight features.1.conv.0.0.weight
        blocks.0.0.conv_pw.weight features.1.conv.1.weight
        blocks.0.0.bn2.weight features.1.conv.2.weight
        blocks.1.1.conv_pw.weight features.3.conv.0.0.weight
        blocks.3.2.conv_dw.weight features.9.conv.1.0.weight
        blocks.5.2.conv_pwl.weight features.16.conv.2.weight
        blocks.6.0.bn3.bias features.17.conv.3.bias
        conv_head.weight features.18.0.weight
        bn2.weight features.18.1.weight
        classifier.weight classifier.1.weight
        """)
    void mapsNames(String theirs, String ours) {
        assertThat(load(Map.of(theirs, floats(7, 3)), Map.of(ours, floats(1, 3)))
                        .floats(ours, Shape.of(3)))
                .containsOnly(7);
    }

    @Test
    void onlyTheDimensionsOfALayerMayDiffer() {
        Parameters loaded = load(Map.of("w", floats(7, 2, 3)), Map.of("w", floats(1, 2, 3, 1, 1)));
        assertThat(loaded.floats("w", Shape.of(2, 3, 1, 1))).containsOnly(7);
    }

    @Test
    void listsWhatIsMissingUnexpectedAndOfAnotherShape() {
        Map<String, Tensor> theirs =
                new LinkedHashMap<>(Map.of("fc.weight", floats(1, 1000, 4), "conv.weight", floats(1, 3, 2)));
        theirs.put("fc.bias", floats(1, 1000));
        Map<String, Tensor> ours = new LinkedHashMap<>();
        ours.put("conv1.weight", floats(1, 3, 2));
        ours.put("fc.weight", floats(1, 10, 4));
        ours.put("fc.bias", floats(1, 10));
        assertThatThrownBy(() -> load(theirs, ours))
                .isInstanceOf(CheckpointException.class)
                .hasMessage(
                        "the checkpoint net.safetensors does not fit the network (lenet). missing: conv1.weight; unexpected: conv.weight; of another shape: fc.weight is float32 of shape 1000x4; expected is float32 of shape 10x4, fc.bias is float32 of shape 1000; expected is float32 of shape 10. \"except\" leaves layers as drawn, such as \"except\": [\"conv1\"]");
    }

    private static Tensor floats(float value, Integer... sizes) {
        Shape shape = new Shape(List.of(sizes));
        float[] values = new float[shape.elements()];
        Arrays.fill(values, value);
        return new Tensor.Floats(shape, values);
    }

    private static Parameters load(Map<String, Tensor> theirs, Map<String, Tensor> ours) {
        List<ParameterSpec> specs = ours.entrySet().stream()
                .map(entry -> new ParameterSpec(
                        entry.getKey(), entry.getValue().shape(), new ParameterSpec.Init.Constant(0), true))
                .toList();
        SavedModel model = new SavedModel(new CheckpointName("net.safetensors", null), new Parameters(theirs), 0, null);
        return StateDict.load(model, "lenet", specs, new Parameters(ours), _ -> _ -> false);
    }
}
