package io.trainyard.device.check;

import io.trainyard.device.Device;
import io.trainyard.spec.Conv2d;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Precision;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// A network to time, at a batch size.
///
/// @param network its name for display
/// @param trains number of training images
/// @param tests number of test images
public record BenchmarkCase(
        String network, List<LayerSpec> layers, int batchSize, Precision precision, int trains, int tests) {
    /// The built-in networks at their usual batch sizes, with as many images as their datasets, in each precision
    /// of the device; on GPUs also a large batch.
    public static List<BenchmarkCase> usual(Device device) {
        return usual(device, device.precisions());
    }

    /// @param wanted precisions; those that the device does not support are skipped
    public static List<BenchmarkCase> usual(Device device, Set<Precision> wanted) {
        List<BenchmarkCase> cases = new ArrayList<>();
        for (Precision precision :
                device.precisions().stream().filter(wanted::contains).sorted().toList()) {
            cases.add(builtIn("tudui", 64, precision, 50_000, 10_000));
            cases.add(builtIn("lenet", 4, precision, 50_000, 10_000));
            cases.add(builtIn("fashion", 100, precision, 60_000, 10_000));
            cases.add(builtIn("signs", 32, precision, 1_080, 120));
            cases.add(builtIn("resnet18-cifar", 128, precision, 50_000, 1_000));
            if (precision != Precision.FP32 && device.precisions().contains(Precision.TF32)) { // a GPU
                cases.add(builtIn("resnet18-cifar", 512, precision, 50_000, 10_000));
            }
        }
        return cases;
    }

    /// Finds the size from which another device is faster: lenet, up to eight times as wide, in batches of 4 to
    /// 1024.
    public static List<BenchmarkCase> sweep() {
        List<BenchmarkCase> cases = new ArrayList<>();
        for (int width = 1; width <= 8; width *= 2) {
            for (int batchSize = 4; batchSize <= 1024; batchSize *= 4) {
                cases.add(new BenchmarkCase("lenet x" + width, widened(width), batchSize, Precision.FP32, 20_480, 100));
            }
        }
        return cases;
    }

    private static BenchmarkCase builtIn(String network, int batchSize, Precision precision, int trains, int tests) {
        return new BenchmarkCase(network, NetworkSpec.named(network).layers(), batchSize, precision, trains, tests);
    }

    /// Widens every layer of lenet except the last by the factor `width`.
    private static List<LayerSpec> widened(int width) {
        List<LayerSpec> layers = new ArrayList<>(NetworkSpec.named("lenet").layers());
        LayerSpec last = layers.removeLast();
        layers.replaceAll(layer -> switch (layer) {
            case Conv2d conv ->
                new Conv2d(
                        conv.name(),
                        width * conv.out(),
                        conv.kernel(),
                        conv.stride(),
                        conv.padding(),
                        conv.dilation(),
                        conv.groups(),
                        conv.bias());
            case LayerSpec.Linear linear -> new LayerSpec.Linear(linear.name(), width * linear.out(), linear.bias());
            default -> layer;
        });
        layers.add(last);
        return layers;
    }
}
