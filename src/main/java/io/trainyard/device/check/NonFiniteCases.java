package io.trainyard.device.check;

import static io.trainyard.device.check.Layers.adaptive;
import static io.trainyard.device.check.Layers.avgPool;
import static io.trainyard.device.check.Layers.concat;
import static io.trainyard.device.check.Layers.conv;
import static io.trainyard.device.check.Layers.dropout;
import static io.trainyard.device.check.Layers.dropout2d;
import static io.trainyard.device.check.Layers.flatten;
import static io.trainyard.device.check.Layers.gate;
import static io.trainyard.device.check.Layers.gelu;
import static io.trainyard.device.check.Layers.groupNorm;
import static io.trainyard.device.check.Layers.hardswish;
import static io.trainyard.device.check.Layers.hardtanh;
import static io.trainyard.device.check.Layers.identity;
import static io.trainyard.device.check.Layers.layerNorm;
import static io.trainyard.device.check.Layers.layerNorm2d;
import static io.trainyard.device.check.Layers.layerScale;
import static io.trainyard.device.check.Layers.leakyRelu;
import static io.trainyard.device.check.Layers.linear;
import static io.trainyard.device.check.Layers.norm;
import static io.trainyard.device.check.Layers.pool;
import static io.trainyard.device.check.Layers.relu;
import static io.trainyard.device.check.Layers.relu6;
import static io.trainyard.device.check.Layers.residual;
import static io.trainyard.device.check.Layers.same;
import static io.trainyard.device.check.Layers.side;
import static io.trainyard.device.check.Layers.sides;
import static io.trainyard.device.check.Layers.sigmoid;
import static io.trainyard.device.check.Layers.silu;
import static io.trainyard.device.check.Layers.softplus;
import static io.trainyard.device.check.Layers.tanh;
import static io.trainyard.device.check.Layers.upsample;

import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.LossSpec.CrossEntropy;
import io.trainyard.spec.LossSpec.MeanSquaredError;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Test cases of non-finite values: each layer receives NaN, both infinities and NaN gradients; each loss
/// receives such logits.
///
/// One parameter element causes them. In a linear layer before the tested one, its bias gives each value a
/// separate gradient. In a convolution's bias, it fills a channel, including whole windows of negative infinity.
/// In a convolution's weight, it makes some pixels of a channel non-finite, others in each sample. In the last
/// layer, finite values meet NaN gradients.
public final class NonFiniteCases {
    /// Its square is infinite in float32.
    private static final float LARGE = 1e20f;

    private static final int WIDTH =
            18; // of vectors: longer than any CPU's SIMD vectors, and not a multiple of their length
    private static final int CHANNELS = 17; // of images: in blocks of 8 or 16, some with padding
    private static final int[] SAMPLES_OF_BOTH_SIGNS_AND_WITH_NAN = {1, 3};

    private final List<NonFiniteCase> rows = new ArrayList<>();

    private NonFiniteCases() {}

    /// A new layer needs an entry in [#ofVectorValues] or [#ofImages], a loss in [#losses], and both also in
    /// not_finite.py.
    public static List<NonFiniteCase> all() {
        NonFiniteCases cases = new NonFiniteCases();
        ofVectorValues().forEach(cases::addRows);
        ofImages().forEach(cases::addImages);
        losses().forEach(cases::addLosses);
        return List.copyOf(cases.rows);
    }

    private static Map<String, List<LayerSpec>> ofVectorValues() {
        Map<String, List<LayerSpec>> layers = activations();
        layers.put("linear", List.of(linear(5, true)));
        layers.put("dropout", List.of(dropout(0.5)));
        layers.put("residual", List.of(residual(relu())));
        return layers;
    }

    private static Map<String, List<LayerSpec>> ofImages() {
        Map<String, List<LayerSpec>> layers = activations();
        layers.put("conv2d", List.of(conv(3, 3, 1, 0, true)));
        layers.put("conv2d in groups", List.of(conv(CHANNELS, 2, 1, 0, 1, CHANNELS, true)));
        layers.put("maxPool2d", List.of(pool(2, 2)));
        layers.put("maxPool2d overlapping", List.of(pool(3, 1)));
        layers.put("maxPool2d with gaps", List.of(pool(1, 3)));
        layers.put("maxPool2d, then relu", List.of(pool(2, 2), relu()));
        layers.put("relu, then maxPool2d", List.of(relu(), pool(2, 2)));
        layers.put("avgPool2d", List.of(avgPool(2, 2)));
        layers.put("avgPool2d overlapping", List.of(avgPool(3, 1)));
        layers.put("adaptiveAvgPool2d", List.of(adaptive(2)));
        layers.put("adaptiveAvgPool2d uneven", List.of(adaptive(3)));
        layers.put("conv2d of the same size", List.of(same(3, sides(2, 3), side(1))));
        layers.put("maxPool2d with padding", List.of(pool(3, 2, 1, 1, false)));
        layers.put("maxPool2d with dilation", List.of(pool(2, 1, 0, 2, false)));
        layers.put("maxPool2d of what is left", List.of(pool(sides(3, 1), sides(2, 3), side(0), side(1), true)));
        layers.put("avgPool2d with padding", List.of(avgPool(3, 2, 1, false, true)));
        layers.put("avgPool2d without its padding", List.of(avgPool(3, 2, 1, false, false)));
        layers.put("avgPool2d of what is left", List.of(avgPool(sides(3, 2), sides(2, 3), side(1), true, true)));
        layers.put("upsample", List.of(upsample(2, 2)));
        layers.put("upsample by a fraction", List.of(upsample(1.6, 0.7)));
        layers.put("batchNorm2d", List.of(norm()));
        layers.put("batchNorm2d, then relu", List.of(norm(), relu()));
        layers.put("batchNorm2d, not affine", List.of(norm(0.01, 0.5, false)));
        layers.put("groupNorm", List.of(groupNorm(CHANNELS, 1e-5, true)));
        layers.put("groupNorm of one group, not affine", List.of(groupNorm(1, 0.1, false)));
        layers.put("layerNorm", List.of(layerNorm(1e-5, true)));
        layers.put("layerNorm of rows", List.of(layerNorm(1e-5, true, 4)));
        layers.put("layerNorm2d", List.of(layerNorm2d(1e-6, true)));
        layers.put("layerScale", List.of(layerScale(0.5)));
        layers.put("dropout", List.of(dropout(0.5)));
        layers.put("dropout2d", List.of(dropout2d(0.5)));
        layers.put("residual", List.of(residual(relu(), conv(CHANNELS, 1, 1, 0, true))));
        layers.put("concat", List.of(concat(List.of(), List.of(conv(CHANNELS, 1, 1, 0, true), relu()))));
        layers.put("gate", List.of(gate(adaptive(1), conv(CHANNELS, 1, 1, 0, true), sigmoid())));
        layers.put("residual, batchNorm2d, relu", List.of(residual(conv(CHANNELS, 1, 1, 0, true), norm()), relu()));
        return layers;
    }

    private static Map<String, LossSpec> losses() {
        Map<String, LossSpec> losses = new LinkedHashMap<>();
        losses.put("crossEntropy with label smoothing", new CrossEntropy(0.2, null));
        losses.put("crossEntropy with class weights", new CrossEntropy(0, List.of(0.5, 2.0)));
        losses.put("crossEntropy with class weights of 0", new CrossEntropy(0, List.of(0.0, 2.0)));
        losses.put("crossEntropy with both", new CrossEntropy(0.2, List.of(0.5, 0.0)));
        losses.put("mse", new MeanSquaredError());
        return losses;
    }

    private static Map<String, List<LayerSpec>> activations() {
        Map<String, List<LayerSpec>> layers = new LinkedHashMap<>();
        layers.put("relu", List.of(relu()));
        layers.put("leakyRelu", List.of(leakyRelu(0.1)));
        layers.put("gelu", List.of(gelu("none")));
        layers.put("gelu by tanh", List.of(gelu("tanh")));
        layers.put("tanh", List.of(tanh()));
        layers.put("sigmoid", List.of(sigmoid()));
        layers.put("silu", List.of(silu()));
        layers.put("softplus", List.of(softplus(1, 20)));
        layers.put("hardswish", List.of(hardswish()));
        layers.put("hardtanh", List.of(hardtanh(-0.25, 0.5)));
        layers.put("relu6", List.of(relu6()));
        layers.put("identity", List.of(identity()));
        return layers;
    }

    private void addRows(String name, List<LayerSpec> tested) {
        List<LayerSpec> layers = new ArrayList<>(List.of(flatten(), linear(WIDTH, true)));
        layers.addAll(tested);
        layers.add(linear(NonFiniteCase.CLASSES, true));
        for (float value : List.of(Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, LARGE, -LARGE)) {
            add(name + " of vectors, given " + value, layers, "1.bias", 1, value, 0);
        }
        add(name + " of vectors, given NaN last", layers, "1.bias", WIDTH - 1, Float.NaN, 0);
        add(name + " of vectors, given gradients of NaN", layers, layers.size() - 1 + ".bias", 0, Float.NaN, 0);
    }

    private void addImages(String name, List<LayerSpec> tested) {
        List<LayerSpec> layers = around(List.of(conv(CHANNELS, 1, 1, 0, true)), tested);
        for (float value : List.of(Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY)) {
            add(name + ", given a channel of " + value, layers, "0.bias", 1, value, 0);
        }
        for (int first : SAMPLES_OF_BOTH_SIGNS_AND_WITH_NAN) {
            add(
                    name + ", given infinities of both signs and NaN, sample %d first".formatted(first),
                    layers,
                    "0.weight",
                    0,
                    Float.POSITIVE_INFINITY,
                    first);
        }
        List<LayerSpec> behindRelu = around(List.of(conv(CHANNELS, 1, 1, 0, true), relu()), tested);
        for (int first : SAMPLES_OF_BOTH_SIGNS_AND_WITH_NAN) {
            add(
                    name + ", given 0, infinity and NaN, sample %d first".formatted(first),
                    behindRelu,
                    "0.weight",
                    0,
                    Float.NEGATIVE_INFINITY,
                    first);
        }
        add(name + ", given gradients of NaN", layers, layers.size() - 1 + ".bias", 0, Float.NaN, 0);
    }

    private void addLosses(String name, LossSpec loss) {
        List<LayerSpec> layers = List.of(flatten(), linear(NonFiniteCase.CLASSES, true));
        for (float value : List.of(Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, LARGE)) {
            rows.add(new NonFiniteCase(name + ", given " + value, layers, loss, "1.bias", 1, value, 0));
        }
    }

    private static List<LayerSpec> around(List<LayerSpec> before, List<LayerSpec> tested) {
        List<LayerSpec> layers = new ArrayList<>(before);
        layers.addAll(tested);
        layers.addAll(List.of(flatten(), linear(NonFiniteCase.CLASSES, true)));
        return layers;
    }

    private void add(String name, List<LayerSpec> layers, String parameter, int index, float value, int first) {
        rows.add(new NonFiniteCase(name, List.copyOf(layers), LossSpec.DEFAULT, parameter, index, value, first));
    }
}
