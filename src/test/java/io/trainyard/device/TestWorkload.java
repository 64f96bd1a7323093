package io.trainyard.device;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.List;

/// Networks on images whose results can be told by hand.
final class TestWorkload {
    private TestWorkload() {}

    /// Trains on one image and tests on it.
    static Workload ofImage(Shape input, int classes, List<LayerSpec> layers, byte[] pixels, int label) {
        Dataset.Split split = new Dataset.Split(pixels, new byte[] {(byte) label});
        return of(new Dataset("image", input, classes, split, split), layers, 1);
    }

    /// Tests on black images with these labels.
    static Workload ofLabels(int classes, List<LayerSpec> layers, byte[] labels, int batchSize) {
        Shape input = Shape.of(1, 1, 2);
        Dataset.Split train = new Dataset.Split(new byte[batchSize * input.elements()], new byte[batchSize]);
        Dataset.Split test = new Dataset.Split(new byte[labels.length * input.elements()], labels);
        return of(new Dataset("black", input, classes, train, test), layers, batchSize);
    }

    private static Workload of(Dataset dataset, List<LayerSpec> layers, int batchSize) {
        Network network = Network.fit(NetworkSpec.ofLayers(layers), dataset.shape(), dataset.classes());
        return new Workload(
                network,
                CheckWorkload.PLAIN,
                batchSize,
                dataset,
                PixelScale.of(dataset.shape().size(0), null),
                AugmentSpec.NONE,
                Precision.FP32,
                0);
    }
}
