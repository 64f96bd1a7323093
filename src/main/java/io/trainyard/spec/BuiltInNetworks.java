package io.trainyard.spec;

import io.trainyard.spec.ActivationFunction.Relu;
import io.trainyard.spec.BatchNorm.BatchNorm2d;
import io.trainyard.spec.LayerSpec.Flatten;
import io.trainyard.spec.LayerSpec.Linear;
import io.trainyard.spec.Pooling.AvgPool2d;
import io.trainyard.spec.Pooling.MaxPool2d;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The networks that a job can use by name. Parameter names match `state_dict()` of the PyTorch originals, so
/// checkpoints are interchangeable.
public final class BuiltInNetworks {
    static final Map<String, String> ALIASES = Map.of("sjnet", "tudui");
    private static final Map<String, List<LayerSpec>> NETWORKS = new TreeMap<>(Map.of(
            "tudui", tudui(),
            "lenet", lenet(),
            "fashion", fashion(),
            "signs", signs(),
            "resnet18-cifar", resnet18()));

    static {
        NETWORKS.putAll(TorchvisionNetworks.ALL);
    }

    private BuiltInNetworks() {}

    /// The names in alphabetical order, without aliases.
    public static List<String> names() {
        return List.copyOf(NETWORKS.keySet());
    }

    /// Whether the name is that of a built-in network, or an alias.
    public static boolean isName(String name) {
        return NETWORKS.containsKey(ALIASES.getOrDefault(name, name));
    }

    static NetworkSpec named(String name) {
        String canonical = ALIASES.getOrDefault(name, name);
        List<LayerSpec> layers = NETWORKS.get(canonical);
        if (layers == null) {
            throw new InvalidJobException("network is \"%s\"; allowed is one of %s, or {\"layers\": [...]}%s"
                    .formatted(Check.shortened(name), String.join(", ", names()), SimilarNames.hint(name, names())));
        }
        return new NetworkSpec(canonical, layers);
    }

    /// 3x32x32, 10 classes; without activations, like the original.
    private static List<LayerSpec> tudui() {
        return List.of(
                conv("model.0", 32, 2),
                pool("model.1"),
                conv("model.2", 32, 2),
                pool("model.3"),
                conv("model.4", 64, 2),
                pool("model.5"),
                new Flatten("model.6"),
                linear("model.7", 64),
                linear("model.8", 10));
    }

    /// 3x32x32, 10 classes.
    private static List<LayerSpec> lenet() {
        return twoConvolutions("conv1", 6, "conv2", 16, linear("fc1", 120), linear("fc2", 84), linear("fc3", 10));
    }

    /// 1x28x28, 10 classes.
    private static List<LayerSpec> fashion() {
        return twoConvolutions("conv1", 6, "conv2", 12, linear("fc1", 120), linear("fc2", 60), linear("out", 10));
    }

    /// 3x64x64, 6 classes.
    private static List<LayerSpec> signs() {
        return List.of(
                new Flatten("flatten"),
                linear("fc1", 25),
                new Relu("relu1"),
                linear("fc2", 16),
                new Relu("relu2"),
                linear("fc3", 6));
    }

    /// 3x32x32, 10 classes: ResNet-18 (He et al. 2015) for CIFAR-10, with the names of kuangliu/pytorch-cifar.
    private static List<LayerSpec> resnet18() {
        List<LayerSpec> layers = new ArrayList<>();
        layers.add(new Conv2d("conv1", 64, 3, 1, 1, false));
        layers.add(new BatchNorm2d("bn1"));
        layers.add(new Relu("relu"));
        TorchvisionNetworks.addStages(layers, List.of(2, 2, 2, 2), false);
        layers.add(new AvgPool2d("pool", 4, 4));
        layers.add(new Flatten("flatten"));
        layers.add(linear("linear", 10));
        return List.copyOf(layers);
    }

    private static List<LayerSpec> twoConvolutions(
            String conv1, int out1, String conv2, int out2, Linear fc1, Linear fc2, Linear last) {
        return List.of(
                conv(conv1, out1, 0),
                new Relu("relu1"),
                pool("pool1"),
                conv(conv2, out2, 0),
                new Relu("relu2"),
                pool("pool2"),
                new Flatten("flatten"),
                fc1,
                new Relu("relu3"),
                fc2,
                new Relu("relu4"),
                last);
    }

    private static Conv2d conv(String name, int out, int padding) {
        return new Conv2d(name, out, 5, 1, padding, true);
    }

    private static MaxPool2d pool(String name) {
        return new MaxPool2d(name, 2, 2);
    }

    private static Linear linear(String name, int out) {
        return new Linear(name, out, true);
    }
}
