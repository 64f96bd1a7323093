package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.Slow;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.data.DataRoots;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The built-in networks on real data, step by step compared with PyTorch. The first line of each golden file
/// is the command that made it.
@Slow
class GoldenCurvesTest {
    private static final Path DATA = Path.of("../shared/data");

    /// Measured: PyTorch with one thread and with two differ by 5e-7 in these steps.
    private static final Percentage LOSS_TOLERANCE = Percentage.withPercentage(0.01);

    /// PyTorch's results with different thread counts differ by up to half of this.
    private static final double ACCURACY_TOLERANCE = 0.02;

    /// The first steps of ResNet-18, before rounding matters: the difference is 2e-7 there.
    private static final Percentage FIRST_LOSS_TOLERANCE = Percentage.withPercentage(0.0001);

    private static final int FIRST_STEPS = 2;

    /// In a network with millions of ReLUs, after a few steps some inputs are so near to 0 that rounding
    /// decides their sign. In the golden file float32 and float64 differ by up to 0.3 %.
    private static final Percentage LATER_LOSS_TOLERANCE = Percentage.withPercentage(1);

    @TempDir
    private Path checkpoints;

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        tudui   | 1 | `"dataset": "cifar10", "batchSize": 64, "optimizer": {"type": "sgd", "learningRate": 0.01}`
        lenet   | 1 | `"dataset": {"name": "cifar10", "normalize": {"mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]}}, "batchSize": 4, "shuffle": true, "optimizer": {"type": "sgd", "learningRate": 0.001, "momentum": 0.9}`
        fashion | 1 | `"dataset": "fashion-mnist", "batchSize": 100, "optimizer": {"type": "sgd", "learningRate": 0.01}`
        tudui   | 1 | `"devices": ["cpu", "cpu"], "dataset": "cifar10", "batchSize": 64, "optimizer": {"type": "sgd", "learningRate": 0.01}`
        lenet   | 1 | `"devices": ["cpu", "cpu"], "dataset": {"name": "cifar10", "normalize": {"mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5]}}, "batchSize": 4, "shuffle": true, "optimizer": {"type": "sgd", "learningRate": 0.001, "momentum": 0.9}`
        signs   | 2 | `"dataset": "signs", "batchSize": 32, "shuffle": true, "optimizer": {"type": "sgd", "learningRate": 0.01}`
        """)
    void followsPyTorch(String network, int epochs, String fields) throws IOException {
        assumeTrue(
                Files.isDirectory(DATA),
                "there are no datasets in %s: Fashion-MNIST, CIFAR-10 and SIGNS go there".formatted(DATA));
        List<TrainingEvent> events = train(DATA, network, epochs, fields);
        List<JsonNode> golden = golden(network);

        List<JsonNode> goldenSteps = golden.stream()
                .filter(line -> line.path("event").asText().equals("step"))
                .toList();
        float[] losses = losses(events);
        assertThat(goldenSteps).hasSizeGreaterThan(60);
        for (JsonNode step : goldenSteps) {
            int number = step.path("step").asInt();
            assertThat((double) losses[number - 1])
                    .as("loss of step %d", number)
                    .isCloseTo(step.path("loss").asDouble(), LOSS_TOLERANCE);
        }

        double goldenAccuracy = golden.stream()
                .filter(line -> line.path("event").asText().equals("epoch"))
                .toList()
                .get(epochs - 1)
                .path("test_accuracy")
                .asDouble();
        assertThat(events).hasAtLeastOneElementOfType(Finished.class);
        assertThat(events.stream()
                        .filter(EpochTested.class::isInstance)
                        .map(EpochTested.class::cast)
                        .toList()
                        .getLast()
                        .testAccuracy())
                .isCloseTo(goldenAccuracy, within(ACCURACY_TOLERANCE));
    }

    @Test
    void resnet18FollowsPyTorchOnTwentyImages(@TempDir Path root) throws IOException {
        assumeTrue(
                Files.isDirectory(DATA),
                "there are no datasets in %s: Fashion-MNIST, CIFAR-10 and SIGNS go there".formatted(DATA));
        for (int i = 1; i <= 5; i++) {
            cut(root, "data_batch_%d.bin".formatted(i), 4);
        }
        cut(root, "test_batch.bin", 12);
        List<TrainingEvent> events = train(
                root,
                "resnet18-cifar",
                2,
                "\"dataset\": {\"name\": \"cifar10\", \"normalize\": {\"mean\": [0.4914, 0.4822, 0.4465], \"std\": [0.2023, 0.1994, 0.2010]}},"
                        + " \"batchSize\": 8, \"shuffle\": true, \"checkpointEveryEpochs\": 2, \"optimizer\": {\"type\": \"sgd\","
                        + " \"learningRate\": 0.001, \"momentum\": 0.9, \"weightDecay\": 0.0005}");
        float[] losses = losses(events);
        List<EpochTested> tests = events(events, EpochTested.class);
        for (JsonNode line : golden("resnet18-cifar")) {
            int epoch = line.path("epoch").asInt();
            Percentage tolerance = epoch == 0 ? LOSS_TOLERANCE : LATER_LOSS_TOLERANCE;
            switch (line.path("event").asText()) {
                case "init" ->
                    assertThat(events(events, Started.class).getFirst().parameters())
                            .extracting(parameter -> parameter.name() + " " + parameter.shape())
                            .containsExactlyElementsOf(line.path("parameters")
                                    .valueStream()
                                    .map(JsonNode::asText)
                                    .toList());
                case "step" -> {
                    int step = line.path("step").asInt();
                    assertThat((double) losses[step - 1])
                            .as("loss of step %d", step)
                            .isCloseTo(
                                    line.path("loss").asDouble(),
                                    step <= FIRST_STEPS ? FIRST_LOSS_TOLERANCE : tolerance);
                }
                case "epoch" ->
                    assertThat(tests.get(epoch).testLossSum())
                            .as("sum of the test batches' losses of epoch %d", epoch)
                            .isCloseTo(line.path("test_loss").asDouble(), tolerance);
                default -> assertThat(line.has("command")).isTrue();
            }
        }
        assertThat(losses).hasSize(6);
    }

    /// Writes a CIFAR-10 file with the first `images` of the real one.
    private static void cut(Path root, String file, int images) throws IOException {
        Path folder = Files.createDirectories(root.resolve("cifar10"));
        try (InputStream in = Files.newInputStream(DATA.resolve("cifar10").resolve(file))) {
            Files.write(folder.resolve(file), in.readNBytes(images * (1 + 3 * 32 * 32)));
        }
    }

    private static <T extends TrainingEvent> List<T> events(List<TrainingEvent> events, Class<T> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    private List<TrainingEvent> train(Path data, String network, int epochs, String fields) {
        String json = "{\"id\": \"golden\", \"network\": \"%s\", \"epochs\": %d, \"seed\": 0, %s}"
                .formatted(network, epochs, fields);
        List<TrainingEvent> events = new ArrayList<>();
        var folder = new JobFolder(CheckpointStore.open(checkpoints.toUri()), "golden");
        Outcome outcome = new JobTraining(DataRoots.ofFolder(data), new DeviceSpec("cpu"), 0, "test")
                .run(
                        JobJson.read(json.getBytes(StandardCharsets.UTF_8)),
                        folder,
                        Supervisor.of(events::add, () -> false));
        assertThat(outcome).isInstanceOf(Outcome.Finished.class);
        return events;
    }

    private static float[] losses(List<TrainingEvent> events) {
        List<Float> losses = new ArrayList<>();
        for (TrainingEvent event : events) {
            if (event instanceof StepLosses steps) {
                assertThat(steps.firstStep()).isEqualTo(losses.size() + 1);
                for (float loss : steps.losses()) {
                    losses.add(loss);
                }
            }
        }
        float[] values = new float[losses.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = losses.get(i);
        }
        return values;
    }

    private static List<JsonNode> golden(String network) throws IOException {
        JsonMapper mapper = new JsonMapper();
        List<JsonNode> lines = new ArrayList<>();
        try (InputStream in = GoldenCurvesTest.class.getResourceAsStream("/golden/%s.jsonl".formatted(network))) {
            for (String line : new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList()) {
                lines.add(mapper.readTree(line));
            }
        }
        return lines;
    }
}
