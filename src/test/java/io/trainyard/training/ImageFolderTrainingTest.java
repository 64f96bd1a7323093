package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.trainyard.data.StripedImages;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.spec.JobJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// Training on image folders compared with PyTorch's on the same files, read by torchvision's ImageFolder.
class ImageFolderTrainingTest extends SmallJobs {
    private static final Path GOLDEN = Path.of("src/test/resources/golden/image-folder.jsonl");

    @Test
    void followsPyTorchOnTwoFolders() throws IOException {
        StripedImages.write(root.resolve("stripes/train"), 0, 160);
        StripedImages.write(root.resolve("stripes/test"), 160, 200);
        train(
                0.05,
                "\"resize\": [32, 30], \"centerCrop\": 28, \"normalize\": {\"mean\": [0.5, 0.5, 0.5], \"std\": [0.25, 0.25, 0.25]}");
        assertFollows("parts");
        Started started = of(Started.class).getFirst();
        assertThat(Objects.requireNonNull(started.dataset()).classNames())
                .containsExactly("Horizontal", "checks", "diagonal", "vertical");
    }

    @Test
    void followsPyTorchOnASplit() throws IOException {
        StripedImages.write(root.resolve("stripes"), 0, 200);
        train(
                0.02,
                "\"colors\": \"grey\", \"resize\": 26, \"centerCrop\": [24, 36], \"split\": {\"test\": 0.25, \"seed\": 3}, \"normalize\": {\"mean\": [0.5], \"std\": [0.25]}");
        assertFollows("split");
    }

    /// The best epoch is not the last one, and the test part is measured once, with its weights.
    @Test
    void followsPyTorchWithAValidationPart() throws IOException {
        StripedImages.write(root.resolve("stripes"), 0, 200);
        train(
                0.02,
                "\"colors\": \"grey\", \"resize\": 26, \"centerCrop\": [24, 36], \"split\": {\"validation\": 0.125, \"test\": 0.25, \"seed\": 3}, \"normalize\": {\"mean\": [0.5], \"std\": [0.25]}");
        JsonNode golden = golden("validation");
        assertFollows("validation");
        assertThat(of(Started.class).getFirst().testSamples())
                .isEqualTo(golden.get("final").asInt());
        assertThat(of(EpochTested.class)).extracting(EpochTested::part).containsOnly(Part.VALIDATION);
        Finished finished = (Finished) events.getLast();
        EpochTested test = Objects.requireNonNull(finished.test());
        assertThat(test.part()).isEqualTo(Part.TEST);
        assertThat(test.epoch()).isEqualTo(golden.get("best").asInt()).isLessThan(5);
        assertThat(test.testLossSum() / 4).isCloseTo(golden.get("finalLoss").asDouble(), within(1e-4));
        assertThat(finished.bestTestAccuracy())
                .isEqualTo(test.testAccuracy())
                .isEqualTo(golden.get("finalAccuracy").asDouble());
        assertThat(finished.bestTestLoss()).isEqualTo(test.testLoss());
    }

    @Test
    void theEventListsSkippedFiles() throws IOException {
        StripedImages.write(root.resolve("stripes/train"), 0, 160);
        StripedImages.write(root.resolve("stripes/test"), 160, 168);
        Files.writeString(root.resolve("stripes/train/vertical/7.png"), "no picture");
        train(0.05, "\"resize\": [12, 12]");
        Started started = of(Started.class).getFirst();
        assertThat(started.trainSamples()).isEqualTo(159);
        assertThat(Objects.requireNonNull(started.dataset()).warnings())
                .containsExactly(
                        "1 of 160 files in stripes/train cannot be read and is left out: vertical/7.png: it is not a PNG, JPEG, BMP, GIF or WebP; convert it to one of these, or remove it");
    }

    private void train(double learningRate, String fields) {
        String job = """
                {"id": "a", "epochs": 6, "batchSize": 16, "seed": 11, "shuffle": true, "dataset": {"name": "stripes", %s},
                 "optimizer": {"type": "sgd", "learningRate": %s, "momentum": 0.9}, "network": {"layers": [
                 {"type": "conv2d", "out": 8, "kernel": 5, "stride": 2}, {"type": "relu"}, {"type": "maxPool2d", "kernel": 2},
                 {"type": "flatten"}, {"type": "linear", "out": 24}, {"type": "relu"}, {"type": "linear", "out": 4}]}}""".formatted(fields, learningRate);
        train(root, "reference", JobJson.read(job.getBytes(StandardCharsets.UTF_8)));
    }

    private void assertFollows(String name) throws IOException {
        JsonNode golden = golden(name);
        Started started = of(Started.class).getFirst();
        assertThat(started.trainSamples()).isEqualTo(golden.get("train").asInt());
        Integer validation = started.validationSamples();
        assertThat(validation == null ? started.testSamples() : validation)
                .isEqualTo(golden.get("test").asInt());
        float[] losses = losses();
        assertThat(losses).hasSize(golden.get("losses").size()).hasSizeGreaterThan(40);
        for (int i = 0; i < losses.length; i++) {
            assertThat((double) losses[i])
                    .as("loss of step %d", i + 1)
                    .isCloseTo(golden.get("losses").get(i).asDouble(), within(1e-4));
        }
        List<EpochTested> tests = of(EpochTested.class);
        for (int epoch = 0; epoch < tests.size(); epoch++) {
            assertThat(tests.get(epoch).testAccuracy())
                    .isEqualTo(golden.get("accuracies").get(epoch).asDouble(), within(1e-9));
        }
    }

    private static JsonNode golden(String name) throws IOException {
        for (String line : Files.readAllLines(GOLDEN)) {
            JsonNode golden = new JsonMapper().readTree(line);
            if (golden.get("case").asText().equals(name)) {
                return golden;
            }
        }
        throw new AssertionError("no golden training " + name);
    }
}
