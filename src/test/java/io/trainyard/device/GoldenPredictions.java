package io.trainyard.device;

import io.trainyard.checkpoint.SavedModel;
import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/// A checkpoint of Trainyard and PyTorch's probabilities for it, recorded by src/test/python/predictions.py.
record GoldenPredictions(Workload workload, SessionState state, int[] predicted, float[] probabilities) {
    private static final String FOLDER = "/golden/predictions/";

    static GoldenPredictions read() {
        JobSpec job = JobJson.read(bytes("small/spec.json"));
        TensorFile images = TensorFile.read(FOLDER + "images.safetensors");
        Shape shape = images.shape("test_x");
        Shape image = Shape.of(shape.size(1), shape.size(2), shape.size(3));
        Dataset.Split split = new Dataset.Split(images.bytes("test_x"), images.bytes("test_y"));
        Dataset dataset = new Dataset("golden", image, 10, split, split);
        Workload workload = new Workload(
                Network.fit(job.network(), image, dataset.outputs()),
                job.optimizer(),
                job.batchSize(),
                dataset,
                PixelScale.of(image.size(0), job.dataset().normalize()),
                AugmentSpec.NONE,
                job.precision(),
                0);
        Parameters model = SavedModel.read(Path.of(uri("small/checkpoints/step-0000001000.safetensors")))
                .tensors();
        List<String> rows = new String(bytes("probabilities.csv"), StandardCharsets.UTF_8)
                .lines()
                .skip(1)
                .toList();
        int[] predicted = new int[rows.size()];
        float[] probabilities = new float[rows.size() * dataset.outputs()];
        for (int n = 0; n < predicted.length; n++) {
            String[] cells = rows.get(n).split(",", -1);
            predicted[n] = Integer.parseInt(cells[2]);
            for (int c = 0; c < dataset.outputs(); c++) {
                probabilities[n * dataset.outputs() + c] = Float.parseFloat(cells[3 + c]);
            }
        }
        return new GoldenPredictions(workload, new SessionState(model, Parameters.NONE), predicted, probabilities);
    }

    private static byte[] bytes(String resource) {
        try (InputStream in = GoldenPredictions.class.getResourceAsStream(FOLDER + resource)) {
            return Objects.requireNonNull(in).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static URI uri(String resource) {
        try {
            return Objects.requireNonNull(GoldenPredictions.class.getResource(FOLDER + resource))
                    .toURI();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
