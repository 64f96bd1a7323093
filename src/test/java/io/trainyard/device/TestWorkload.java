package io.trainyard.device;

import io.trainyard.data.Dataset;
import io.trainyard.data.Targets;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.LossSpec;
import io.trainyard.spec.Shape;
import java.util.List;

/// Networks on images with results that are easy to compute by hand.
final class TestWorkload {
    private TestWorkload() {}

    /// Trains and tests on one image.
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

    /// The same samples with numbers to predict.
    ///
    /// @param tests (test samples, outputs), row-major
    static Workload ofNumbers(Workload classes, float... tests) {
        Dataset dataset = classes.dataset();
        int outputs = dataset.outputs();
        float[] trains = new float[dataset.train().size() * outputs];
        Dataset numbers = new Dataset(
                dataset.name(),
                dataset.shape(),
                outputs,
                new Dataset.Split(dataset.train().samples(), new Targets.Numbers(trains, outputs)),
                new Dataset.Split(dataset.test().samples(), new Targets.Numbers(tests, outputs)));
        return new Workload(
                classes.network(),
                new LossSpec.MeanSquaredError(),
                classes.optimizer(),
                classes.loop(),
                classes.batchSize(),
                numbers,
                classes.scale(),
                classes.augment(),
                classes.precision(),
                classes.threads(),
                classes.trains());
    }
}
