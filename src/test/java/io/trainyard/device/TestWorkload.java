package io.trainyard.device;

import io.trainyard.data.Dataset;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Shape;
import java.util.List;

/// Networks on images whose results can be told by hand.
final class TestWorkload {
    private TestWorkload() {}

    /// Trains on one image and tests on it.
    static Workload ofImage(Shape input, int classes, List<LayerSpec> layers, byte[] pixels, int label) {
        Dataset.Split split = new Dataset.Split(pixels, new byte[] {(byte) label});
        Dataset dataset = new Dataset("image", input, classes, split, split);
        return CheckWorkload.of(dataset, layers, CheckWorkload.PLAIN, 1);
    }

    /// Tests on black images with these labels.
    static Workload ofLabels(int classes, List<LayerSpec> layers, byte[] labels, int batchSize) {
        Shape input = Shape.of(1, 1, 2);
        Dataset.Split train = new Dataset.Split(new byte[batchSize * input.elements()], new byte[batchSize]);
        Dataset.Split test = new Dataset.Split(new byte[labels.length * input.elements()], labels);
        Dataset dataset = new Dataset("black", input, classes, train, test);
        return CheckWorkload.of(dataset, layers, CheckWorkload.PLAIN, batchSize);
    }
}
