package io.trainyard.device.onednn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.trainyard.data.Dataset;
import io.trainyard.data.PixelScale;
import io.trainyard.device.EpochPlan;
import io.trainyard.device.Initializer;
import io.trainyard.device.LearningSession;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Workload;
import io.trainyard.device.check.Comparison;
import io.trainyard.device.check.Layers;
import io.trainyard.device.check.Tolerance;
import io.trainyard.random.TorchRandom;
import io.trainyard.spec.AugmentSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.LayerSpec;
import io.trainyard.spec.Network;
import io.trainyard.spec.NetworkSpec;
import io.trainyard.spec.OptimizerSpec.Sgd;
import io.trainyard.spec.Precision;
import io.trainyard.spec.Residual;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Steps in bfloat16 compared with those of torch.autocast, recorded by bfloat16.py in src/test/python. The
/// script describes the file.
class Bfloat16GoldenTest {
    private static final Path RECORDED = Path.of("src/test/resources/golden/bfloat16.jsonl");
    private static final int STEPS = 40;
    private static final int BATCH = 16;
    private static final int TESTS = 48;
    private static final int CLASSES = 10;
    private static final int SIDE = 32;
    private static final Shape IMAGE = Shape.of(3, SIDE, SIDE);
    private static final Sgd OPTIMIZER = new Sgd(0.01, 0.9, 0);

    /// Two correct bfloat16 computations differ at random, by up to 2.4e-3 of 0.9 to 1.1 where tudui's loss
    /// falls by a fifth per step.
    private static final Tolerance TOLERANCE = new Tolerance(1e-3, 4e-3);

    @BeforeAll
    static void requireBfloat16() {
        assumeTrue(Bfloat16Test.device().precisions().contains(Precision.BF16), "this processor has no bfloat16");
    }

    @ParameterizedTest
    @CsvSource({"lenet", "tudui", "resnet"})
    void stepsHaveTheLossesOfAutocast(String network) throws IOException {
        JsonNode expected = recorded(network).get("bf16");
        Workload workload = workload(network);
        Parameters weights = Initializer.initial(workload.network(), new TorchRandom(0));
        double[] rates =
                DoubleStream.generate(OPTIMIZER::learningRate).limit(STEPS).toArray();
        EpochPlan inOrder = new EpochPlan(TorchRandom.identity(STEPS * BATCH), rates, new TorchRandom(0));
        Comparison comparison = new Comparison(TOLERANCE);
        try (LearningSession session = Bfloat16Test.device().open(workload)) {
            session.load(new SessionState(weights, Parameters.NONE));
            session.beginEpoch(inOrder, 0);
            comparison.values("loss", losses(expected), session.advance(STEPS));
            double test = session.evaluate().testLossSum();
            comparison.value("test loss", expected.get("test").asDouble(), test);
        }
        assertThat(comparison.differences()).isEmpty();
        assertThat(comparison.worst()).isPresent();
    }

    private static float[] losses(JsonNode recorded) {
        float[] losses = new float[STEPS];
        for (int i = 0; i < STEPS; i++) {
            losses[i] = (float) recorded.get("losses").get(i).asDouble();
        }
        return losses;
    }

    private static JsonNode recorded(String network) throws IOException {
        for (String line : Files.readAllLines(RECORDED)) {
            JsonNode node = new ObjectMapper().readTree(line);
            if (node.get("network").asText().equals(network)) {
                return node;
            }
        }
        throw new IllegalArgumentException("%s holds no network %s".formatted(RECORDED, network));
    }

    private static Workload workload(String network) {
        List<Double> half = List.of(0.5, 0.5, 0.5);
        return new Workload(
                Network.fit(network.equals("resnet") ? resnet() : NetworkSpec.named(network), IMAGE, CLASSES),
                OPTIMIZER,
                BATCH,
                new Dataset("squares", IMAGE, CLASSES, split(0, STEPS * BATCH), split(STEPS * BATCH, TESTS)),
                PixelScale.of(IMAGE.size(0), new Normalize(half, half)),
                AugmentSpec.NONE,
                Precision.BF16,
                1);
    }

    private static NetworkSpec resnet() {
        return NetworkSpec.ofLayers(List.of(
                Layers.conv(16, 3, 1, 1, false),
                Layers.norm(),
                Layers.relu(),
                new Residual(null, body(16, 1), List.of()),
                Layers.relu(),
                new Residual(null, body(32, 2), List.of(Layers.conv(32, 1, 2, 0, false), Layers.norm())),
                Layers.relu(),
                Layers.adaptive(1),
                Layers.flatten(),
                Layers.linear(CLASSES, true)));
    }

    private static List<LayerSpec> body(int channels, int stride) {
        return List.of(
                Layers.conv(channels, 3, stride, 1, false),
                Layers.norm(),
                Layers.relu(),
                Layers.conv(channels, 3, 1, 1, false),
                Layers.norm());
    }

    /// The formula of bfloat16.py.
    private static Dataset.Split split(int first, int count) {
        byte[] pixels = new byte[count * IMAGE.elements()];
        byte[] labels = new byte[count];
        int at = 0;
        for (int n = first; n < first + count; n++) {
            int label = n % CLASSES;
            labels[n - first] = (byte) label;
            for (int c = 0; c < IMAGE.size(0); c++) {
                for (int i = 0; i < SIDE; i++) {
                    for (int j = 0; j < SIDE; j++) {
                        int mixed = label * (i / 8 + 1) * (j / 8 + 3) * 29;
                        int square = (label * 37 + c * 101 + i / 8 * 61 + j / 8 * 149 + mixed) % 256;
                        int noise = (n * 7919 + c * 5381 + i * 171 + j * 113 + n * i * j % 97 * 53) % 256;
                        pixels[at++] = (byte) ((square + noise) / 2);
                    }
                }
            }
        }
        return new Dataset.Split(pixels, labels);
    }
}
