package io.trainyard.spec;

import io.trainyard.spec.ActivationFunction.Relu;
import io.trainyard.spec.ActivationFunction.Relu6;
import io.trainyard.spec.BatchNorm.BatchNorm2d;
import io.trainyard.spec.LayerSpec.Flatten;
import io.trainyard.spec.LayerSpec.Linear;
import io.trainyard.spec.ParameterSpec.Init;
import io.trainyard.spec.Pooling.AdaptiveAvgPool2d;
import io.trainyard.spec.Pooling.MaxPool2d;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// torchvision's networks for photos of 224 x 224 pixels, with its names, except those of shortcuts, and its initial
/// weights. The number of classes is the dataset's.
final class TorchvisionNetworks {
    private static final Shape PHOTO = Shape.of(3, 224, 224);
    private static final int CLASSES = 1000;
    private static final String MOBILENET = "mobilenet-v2";

    static final Map<String, List<LayerSpec>> ALL = Map.of(
            "resnet18",
            resnet(List.of(2, 2, 2, 2), false),
            "resnet34",
            resnet(List.of(3, 4, 6, 3), false),
            "resnet50",
            resnet(List.of(3, 4, 6, 3), true),
            MOBILENET,
            mobilenet());

    private TorchvisionNetworks() {}

    static boolean has(@Nullable String name) {
        return name != null && ALL.containsKey(name);
    }

    /// The layers of one of the networks for a number of classes.
    ///
    /// @throws InvalidJobException unless the images have the network's size
    static List<LayerSpec> layers(NetworkSpec network, Shape input, int classes) {
        if (!input.equals(PHOTO)) {
            throw new InvalidJobException(
                    "network is \"%s\", which takes images of %s, but the dataset's are %s; give a folder of images \"resize\": 256 and \"centerCrop\": 224 in dataset, and \"colors\": \"rgb\" if they are grey"
                            .formatted(network.name(), PHOTO, input));
        }
        List<LayerSpec> layers = new ArrayList<>(network.layers());
        layers.add(new Linear(layers.removeLast().name(), classes, true));
        return layers;
    }

    /// A layer's parameters with torchvision's initial values: `kaiming_normal_(mode="fan_out")` for convolutions.
    static List<ParameterSpec> parameters(String network, Network.Layer layer) {
        return switch (layer.spec()) {
            case Conv2d conv -> {
                double fanOut = (double) conv.out() * conv.kernel().area();
                yield normal(layer, Math.sqrt(2) / Math.sqrt(fanOut));
            }
            case Linear _ when network.equals(MOBILENET) -> normal(layer, 0.01);
            default -> layer.parameters();
        };
    }

    /// Biases get zeros.
    private static List<ParameterSpec> normal(Network.Layer layer, double deviation) {
        return layer.parameters().stream()
                .map(spec -> spec.with(new Init.Normal(spec.shape().rank() > 1 ? deviation : 0)))
                .toList();
    }

    private static List<LayerSpec> resnet(List<Integer> blocks, boolean bottlenecks) {
        List<LayerSpec> layers = new ArrayList<>();
        layers.add(new Conv2d("conv1", 64, 7, 2, 3, false));
        layers.add(new BatchNorm2d("bn1"));
        layers.add(new Relu("relu"));
        layers.add(new MaxPool2d(
                "maxpool", Extent.square(3), Extent.square(2), Extent.square(1), Extent.square(1), false));
        addStages(layers, blocks, bottlenecks);
        layers.add(new AdaptiveAvgPool2d("avgpool", 1));
        layers.add(new Flatten("flatten"));
        layers.add(new Linear("fc", CLASSES, true));
        return List.copyOf(layers);
    }

    /// The four stages of a ResNet (He et al. 2015) after 64 channels.
    ///
    /// @param blocks of each stage
    static void addStages(List<LayerSpec> layers, List<Integer> blocks, boolean bottlenecks) {
        int channels = 64;
        for (int stage = 1; stage <= blocks.size(); stage++) {
            int width = 32 << stage;
            int out = bottlenecks ? 4 * width : width;
            for (int block = 0; block < blocks.get(stage - 1); block++) {
                String name = "layer%d.%d".formatted(stage, block);
                int stride = stage > 1 && block == 0 ? 2 : 1;
                List<LayerSpec> branch = bottlenecks
                        ? List.of(
                                conv("conv1", width, 1, 1),
                                new BatchNorm2d("bn1"),
                                new Relu("relu1"),
                                conv("conv2", width, 3, stride),
                                new BatchNorm2d("bn2"),
                                new Relu("relu2"),
                                conv("conv3", out, 1, 1),
                                new BatchNorm2d("bn3"))
                        : List.of(
                                conv("conv1", out, 3, stride),
                                new BatchNorm2d("bn1"),
                                new Relu("relu1"),
                                conv("conv2", out, 3, 1),
                                new BatchNorm2d("bn2"));
                List<LayerSpec> shortcut = stride > 1 || channels != out
                        ? List.of(conv("0", out, 1, stride), new BatchNorm2d("1"))
                        : List.of();
                layers.add(new Residual(name, branch, shortcut));
                layers.add(new Relu(name + (bottlenecks ? ".relu3" : ".relu2")));
                channels = out;
            }
        }
    }

    /// With stride 1 the padding keeps the image size.
    private static Conv2d conv(String name, int out, int kernel, int stride) {
        return new Conv2d(name, out, kernel, stride, kernel / 2, false);
    }

    /// MobileNetV2 (Sandler et al. 2018).
    private static List<LayerSpec> mobilenet() {
        int[][] stages = { // expansion, channels, blocks, stride
            {1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}
        };
        List<LayerSpec> layers = new ArrayList<>(convNormRelu("features.0.", 32, 3, 2, 1));
        int channels = 32;
        int index = 1;
        for (int[] stage : stages) {
            for (int block = 0; block < stage[2]; block++, index++) {
                int stride = block == 0 ? stage[3] : 1;
                boolean adds = stride == 1 && channels == stage[1];
                String name = "features." + index;
                List<LayerSpec> inverted = inverted(adds ? "" : name + ".", channels, stage[0], stage[1], stride);
                layers.addAll(adds ? List.of(new Residual(name, inverted, List.of())) : inverted);
                channels = stage[1];
            }
        }
        layers.addAll(convNormRelu("features.18.", 1280, 1, 1, 1));
        layers.add(new AdaptiveAvgPool2d("pool", 1));
        layers.add(new Flatten("flatten"));
        layers.add(new DropoutLayer.Dropout("classifier.0", 0.2));
        layers.add(new Linear("classifier.1", CLASSES, true));
        return List.copyOf(layers);
    }

    private static List<LayerSpec> convNormRelu(String prefix, int out, int kernel, int stride, int groups) {
        return List.of(
                new Conv2d(prefix + "0", out, kernel, stride, kernel / 2, 1, groups, false),
                new BatchNorm2d(prefix + "1"),
                new Relu6(prefix + "2"));
    }

    private static List<LayerSpec> inverted(String prefix, int in, int expansion, int out, int stride) {
        int wide = in * expansion;
        int depthwise = expansion == 1 ? 0 : 1; // its index
        List<LayerSpec> layers = new ArrayList<>();
        if (depthwise > 0) {
            layers.addAll(convNormRelu(prefix + "conv.0.", wide, 1, 1, 1));
        }
        layers.addAll(convNormRelu(prefix + "conv." + depthwise + ".", wide, 3, stride, wide));
        layers.add(conv(prefix + "conv." + (depthwise + 1), out, 1, 1));
        layers.add(new BatchNorm2d(prefix + "conv." + (depthwise + 2)));
        return layers;
    }
}
