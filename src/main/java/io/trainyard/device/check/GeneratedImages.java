package io.trainyard.device.check;

import io.trainyard.data.Dataset;
import io.trainyard.device.Workload;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.OptimizerSpec;
import io.trainyard.spec.Shape;

/// Workloads of the built-in networks on random pixels, without files.
final class GeneratedImages {
    static final OptimizerSpec OPTIMIZER = new OptimizerSpec.Sgd(0.001, 0.9, 0);

    private GeneratedImages() {}

    static Workload workload(String network, int batchSize, int trains, int tests) {
        return CheckWorkload.of(
                of(network, trains, tests), NetworkSpec.named(network).layers(), OPTIMIZER, batchSize);
    }

    static Dataset of(String network, int trains, int tests) {
        return CheckWorkload.images(input(network), network.equals("signs") ? 6 : 10, trains, tests);
    }

    static Shape input(String network) {
        return switch (network) {
            case "fashion" -> Shape.of(1, 28, 28);
            case "signs" -> Shape.of(3, 64, 64);
            default -> Shape.of(3, 32, 32);
        };
    }
}
