package io.trainyard.device;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.data.Samples;
import io.trainyard.data.Targets;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.ParameterSpec.Init;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// A training run of PyTorch, recorded by layers.py or augment.py in src/test/python. These scripts describe
/// the files.
record GoldenCase(JobSpec job, Workload workload, TensorFile recorded) {
    private static final Path RECORDED = Path.of("src/test/resources/golden/layers");

    static List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(RECORDED)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".json"))
                    .map(file -> file.substring(0, file.length() - ".json".length()))
                    .sorted()
                    .toList();
        }
    }

    /// Groups of parameters do not change gradients, and their optimizer cannot be replaced by one without.
    static List<String> namesWithoutGroups() throws IOException {
        return names().stream().filter(name -> !name.startsWith("groups-")).toList();
    }

    static GoldenCase read(String name) {
        JsonNode written = json("/golden/layers/" + name + ".json");
        TensorFile recorded = TensorFile.read("/golden/layers/" + name + ".safetensors");
        JobSpec job = job(written);
        Shape images = recorded.shape("train_x");
        Shape image = Shape.of(images.size(1), images.size(2), images.size(3));
        JsonNode layers = written.get("layers");
        int classes = layers.get(layers.size() - 1).get("out").asInt();
        boolean numbers = job.loss().isRegression();
        Dataset dataset = new Dataset(
                "golden", image, classes, split(recorded, "train", numbers), split(recorded, "test", numbers));
        Workload workload = new Workload(
                Network.of(job, image, classes),
                job.loss(),
                job.optimizer(),
                job.loop(),
                job.batchSize(),
                dataset,
                PixelScale.of(image.size(0), job.dataset().normalize()),
                Objects.requireNonNullElse(job.dataset().augment(), AugmentSpec.NONE),
                job.precision(),
                0,
                true);
        return new GoldenCase(job, workload, recorded);
    }

    private static JsonNode json(String resource) {
        try (var in = GoldenCase.class.getResourceAsStream(resource)) {
            return new ObjectMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The same job as a user would write it.
    private static JobSpec job(JsonNode written) {
        ObjectNode job = written.deepCopy();
        job.set("id", job.remove("name"));
        job.putObject("network").set("layers", job.remove("layers"));
        ObjectNode dataset = job.putObject("dataset").put("name", "golden");
        for (String field : List.of("normalize", "augment")) {
            if (job.has(field)) {
                dataset.set(field, job.remove(field));
            }
        }
        return JobJson.read(job);
    }

    private static Dataset.Split split(TensorFile recorded, String part, boolean numbers) {
        byte[] pixels = recorded.bytes(part + "_x");
        String targets = part + "_y";
        return numbers
                ? new Dataset.Split(
                        Samples.Pixels.of(pixels),
                        new Targets.Numbers(
                                recorded.floats(targets),
                                recorded.shape(targets).size(1)))
                : new Dataset.Split(pixels, recorded.bytes(targets));
    }

    SessionState initial() {
        return new SessionState(new Parameters(recorded.tensors("init.")), Parameters.NONE);
    }

    /// The generator after the initial weights: they take one word per element.
    TorchRandom random() {
        TorchRandom random = new TorchRandom(job.seed());
        workload.network().parameters().stream()
                .filter(parameter -> parameter.init() instanceof Init.Uniform)
                .forEach(parameter -> random.skip(parameter.shape().elements()));
        return random;
    }

    /// The numbers that a DataLoader draws at the beginning of an epoch.
    EpochPlan epoch(int epoch, TorchRandom random) {
        long unusedBaseSeed = random.nextLong();
        int samples = workload.dataset().train().size();
        int updates = workload.updatesPerEpoch();
        List<double[]> rates = IntStream.range(0, job.optimizer().groupCount())
                .mapToDouble(group -> job.optimizer().ofGroup(group).learningRate())
                .mapToObj(base -> workload.perStep(job.schedule().learningRates(base, epoch, updates, job.epochs())))
                .toList();
        return new EpochPlan(
                job.shuffle() ? TorchRandom.permutation(random.nextLong(), samples) : TorchRandom.identity(samples),
                rates.getFirst(),
                rates.subList(1, rates.size()),
                workload.perStep(job.schedule().momenta(epoch, updates, job.epochs())),
                random);
    }

    /// Counts by (true class, predicted class) of PyTorch's predictions after the last epoch; empty for
    /// regression.
    int[][] confusion() {
        if (job.loss().isRegression()) {
            return new int[0][];
        }
        int classes = workload.network().classes();
        int[][] confusion = new int[classes][classes];
        byte[] labels = recorded.bytes("test_y");
        byte[] predictions = recorded.bytes("test_predictions");
        for (int i = 0; i < labels.length; i++) {
            confusion[labels[i]][predictions[i]]++;
        }
        return confusion;
    }
}
