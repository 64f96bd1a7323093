package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.Slow;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.SavedModel;
import io.trainyard.checkpoint.StateDict;
import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.device.Devices;
import io.trainyard.device.Initializer;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.ParameterSpec;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Jobs with torchvision's networks have the same parameters and losses as its modules, recorded by
/// torchvision_networks.py in src/test/python. The script describes the file.
@Slow
class TorchvisionNetworksTest {
    private static final String FINE_TUNED = "/golden/fine-tuning/";
    private static final String RECORDED = "/golden/torchvision.jsonl";
    private static final String RECORDED_PHOTOS = "/golden/torchvision-photos.jsonl";
    private static final int PHOTOS = 8;
    private static final Path JOBS = Path.of("docs/examples");
    private static final Shape IMAGE = Shape.of(3, 32, 32);
    private static final int CLASSES = 10;
    private static final int IMAGES = 64;

    /// In float64 PyTorch's second loss differs by at most 0.0001 of it.
    private static final Percentage TOLERANCE = Percentage.withPercentage(0.03);

    /// PyTorch's second loss of `mobilenet-v2` in float32 differs by 0.6 % from that in float64.
    private static final Percentage AFTER_A_LARGE_STEP = Percentage.withPercentage(2);

    static List<JsonNode> recorded() {
        return lines(RECORDED);
    }

    static List<JsonNode> photos() {
        return lines(RECORDED_PHOTOS);
    }

    static List<JsonNode> fineTuned() {
        return lines(FINE_TUNED + "jobs.jsonl");
    }

    private static List<JsonNode> lines(String file) {
        ObjectMapper mapper = new ObjectMapper();
        try (InputStream in = Objects.requireNonNull(TorchvisionNetworksTest.class.getResourceAsStream(file), file)) {
            return mapper.readerFor(JsonNode.class).<JsonNode>readValues(in).readAll();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    /// Small networks of torchvision's blocks with another last layer, recorded by fine_tuning.py.
    @ParameterizedTest
    @MethodSource("fineTuned")
    void trainsAFileOfPyTorchFurther(JsonNode line) throws IOException {
        ObjectNode json = (ObjectNode) new ObjectMapper().readTree("""
                {"id": "a", "dataset": {"name": "shapes32", "normalize": {"mean": [0.5, 0.5, 0.5], "std": [0.25, 0.25, 0.25]}},
                 "epochs": 1, "batchSize": 16, "shuffle": true,
                 "optimizer": {"type": "sgd", "learningRate": 0.05, "momentum": 0.9, "weightDecay": 0.0005}}""");
        json.set("network", line.get("network"));
        json.set("except", line.get("except"));
        JobSpec job = JobJson.read(json.put("initFrom", line.get("file").asText() + ".safetensors"));
        CheckpointStore store = CheckpointStore.openToRead(
                Path.of("src/test/resources" + FINE_TUNED).toUri());
        SavedModel saved = SavedModel.find(store, Objects.requireNonNull(job.initFrom()));
        Network network = Network.fit(job.network(), IMAGE, CLASSES);
        float[] ours = losses(
                job, network, 2, drawn -> StateDict.load(saved, "it", network.parameters(), drawn, job::keepsRandom));
        requireLosses(line, ours);
    }

    private static void requireLosses(JsonNode line, float[] ours) {
        for (int i = 0; i < ours.length; i++) {
            assertThat((double) ours[i])
                    .as("loss of step %d", i)
                    .isCloseTo(line.get("losses").get(i).asDouble(), TOLERANCE);
        }
    }

    /// Names, initial values and losses.
    @ParameterizedTest
    @MethodSource("photos")
    void theBuiltInNetworkForPhotosIsTorchvisions(JsonNode line) {
        JobSpec job = JobJson.read("""
                {"id": "photos", "network": "%s", "dataset": {"name": "formula", "normalize": {"mean": [0.5, 0.5, 0.5], "std": [0.25, 0.25, 0.25]}},
                 "epochs": 1, "batchSize": 4, "shuffle": true,
                 "optimizer": {"type": "sgd", "learningRate": 0.01, "momentum": 0.9, "weightDecay": 0.0005}}""".formatted(line.get("network").asText()).getBytes(StandardCharsets.UTF_8));
        Shape photo = Shape.of(3, 224, 224);
        Network network = Network.fit(job.network(), photo, CLASSES);
        assertThat(trained(network)).isEqualTo(line.get("parameters").asLong());
        assertThat(network.parameters())
                .extracting(spec -> spec.name().replace(".shortcut.", ".downsample."))
                .containsExactlyElementsOf(
                        line.get("names").valueStream().map(JsonNode::asText).toList());
        Parameters initial = Initializer.initial(network, new TorchRandom(0));
        for (ParameterSpec spec : network.parameters()) {
            JsonNode first = line.get("initial").path(spec.name().replace(".shortcut.", ".downsample."));
            for (int i = 0; i < first.size(); i++) {
                assertThat(initial.floats(spec.name(), spec.shape())[i])
                        .as("%s, %d", spec.name(), i)
                        .isCloseTo((float) first.get(i).asDouble(), Offset.offset(1e-6f));
            }
        }
        float[] ours = losses(job, network, 2, drawn -> drawn);
        assertThat((double) ours[0])
                .as("loss of the first step")
                .isCloseTo(line.get("losses").get(0).asDouble(), TOLERANCE);
        assertThat((double) ours[1])
                .as("loss of the second step")
                .isCloseTo(line.get("losses").get(1).asDouble(), AFTER_A_LARGE_STEP);
    }

    @ParameterizedTest
    @MethodSource("recorded")
    void theNetworkIsTorchvisions(JsonNode line) throws IOException {
        JobSpec job = job(line);
        Network network = Network.fit(job.network(), IMAGE, CLASSES);
        assertThat(trained(network)).isEqualTo(line.get("parameters").asLong());
        if (line.has("names")) {
            List<String> names =
                    line.get("names").valueStream().map(JsonNode::asText).toList();
            assertThat(network.parameters()).extracting(ParameterSpec::name).containsExactlyElementsOf(names);
        }
        List<Double> losses =
                line.get("losses").valueStream().map(JsonNode::asDouble).toList();
        float[] ours = losses(job, network, losses.size(), drawn -> drawn);
        for (int i = 0; i < ours.length; i++) {
            assertThat((double) ours[i]).as("loss of step %d", i).isCloseTo(losses.get(i), TOLERANCE);
        }
    }

    private static long trained(Network network) {
        return network.parameters().stream()
                .filter(ParameterSpec::trained)
                .mapToLong(parameter -> parameter.shape().elements())
                .sum();
    }

    private static JobSpec job(JsonNode line) throws IOException {
        String written = Files.readString(JOBS.resolve(line.get("job").asText()));
        ObjectNode job = (ObjectNode) new ObjectMapper().readTree(written);
        return JobJson.read(job.put("id", "example").toString().getBytes(StandardCharsets.UTF_8));
    }

    private static float[] losses(JobSpec job, Network network, int steps, UnaryOperator<Parameters> start) {
        Shape image = network.input();
        Dataset.Split images = images(image, image.equals(IMAGE) ? IMAGES : PHOTOS);
        Workload workload = new Workload(
                network,
                job.optimizer(),
                job.batchSize(),
                new Dataset("formula", image, CLASSES, images, images),
                PixelScale.of(image.size(0), job.dataset().normalize()),
                AugmentSpec.NONE,
                job.precision(),
                0);
        try (LearningSession session = Devices.open(new DeviceSpec("cpu")).open(workload)) {
            TorchRandom random = new TorchRandom(job.seed());
            session.load(new SessionState(start.apply(Initializer.initial(network, random)), Parameters.NONE));
            session.beginEpoch(EpochDraws.train(workload, job, StepRates.of(job, workload, 0), random), 0);
            return session.advance(steps);
        }
    }

    /// Bytes without a visible pattern, from the same formula as the script's.
    private static Dataset.Split images(Shape image, int count) {
        byte[] pixels = new byte[count * image.elements()];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (i * 2654435761L % (1L << 32) >> 24);
        }
        byte[] labels = new byte[count];
        for (int i = 0; i < count; i++) {
            labels[i] = (byte) (i % CLASSES);
        }
        return new Dataset.Split(pixels, labels);
    }
}
