package io.trainyard.device;

import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.data.Samples;
import io.trainyard.data.Targets;
import io.trainyard.device.check.CheckWorkload;
import io.trainyard.device.check.Layers;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Shape;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/// Workloads with samples that are not byte images.
public final class RowsWorkload {
    private static final int TRAINS = 13;
    private static final int TESTS = 7;

    private RowsWorkload() {}

    /// Normalised rows of bytes.
    public static Workload ofPixels(int features, int classes) {
        Random random = new Random(8);
        byte[] pixels = new byte[TRAINS * features];
        random.nextBytes(pixels);
        return of(Shape.of(features), Samples.Pixels.of(pixels), classes, AugmentSpec.NONE, mlp(classes));
    }

    /// Normalised rows of floats.
    public static Workload ofValues(int features, int classes) {
        return of(Shape.of(features), values(TRAINS * features), classes, AugmentSpec.NONE, mlp(classes));
    }

    /// Augmented and normalised float images.
    public static Workload ofImages(Shape image, AugmentSpec augment) {
        List<LayerSpec> layers =
                List.of(Layers.conv(4, 3, 1, 1, true), Layers.relu(), Layers.flatten(), Layers.linear(3, true));
        return of(image, values(TRAINS * image.elements()), 3, augment, layers);
    }

    private static List<LayerSpec> mlp(int classes) {
        return List.of(Layers.linear(20, true), Layers.relu(), Layers.linear(classes, true));
    }

    private static Samples values(int count) {
        Random random = new Random(9);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian(3, 2);
        }
        return Samples.Values.of(values);
    }

    private static Workload of(
            Shape sample, Samples samples, int classes, AugmentSpec augment, List<LayerSpec> layers) {
        int[] labels = new Random(10).ints(TRAINS, 0, classes).toArray();
        labels[1] = classes - 1;
        Dataset.Split train = new Dataset.Split(samples, new Targets.ClassLabels(labels));
        Normalize normalize = new Normalize(
                IntStream.range(0, sample.size(0)).mapToObj(c -> 0.1 * c).toList(),
                IntStream.range(0, sample.size(0)).mapToObj(c -> 1 + 0.5 * c).toList());
        return new Workload(
                Network.fit(NetworkSpec.ofLayers(layers), sample, classes),
                CheckWorkload.MOMENTUM,
                5,
                new Dataset("rows", sample, classes, train, train.slice(0, TESTS, sample)),
                PixelScale.of(sample, normalize),
                augment,
                Precision.FP32,
                0);
    }
}
