package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.trainyard.data.StripedImages;
import io.trainyard.data.UserFolder;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/// A job has the same losses on a packed dataset as on its source, bit for bit.
class PackedTrainingTest extends SmallJobs {
    @Test
    void imagesHaveTheSameLosses() throws IOException {
        StripedImages.write(root.resolve("source"), 0, 40);
        Files.writeString(
                root.resolve("source/dataset.json"),
                "{\"kind\": \"imageFolder\", \"normalize\": {\"mean\": [0.4, 0.5, 0.6], \"std\": [0.2, 0.3, 0.25]}}");
        String asRead = "\"resize\": [9, 10], \"split\": {\"test\": 0.25, \"seed\": 4}, ";
        JobSpec source = job("source", asRead, 4);
        UserFolder.at(root.resolve("source"))
                .pack(root.resolve("packed"), source.dataset().asRead(), false);
        String losses = losses(root, source);
        assertThat(losses(root, job("packed", "", 4))).isEqualTo(losses);
    }

    /// A table, and rows of flags in a `.npz`.
    @Test
    void tablesAndArraysHaveTheSameLosses() throws IOException {
        Path golden = Path.of("src/test/resources/golden/own-data");
        Path packed = root;
        for (String line : Files.readAllLines(golden.resolve("losses.json"))) {
            ObjectNode recorded = (ObjectNode) new JsonMapper().readTree(line).path("job");
            JobSpec job = JobJson.read(recorded.put("id", "same").put("device", "reference"));
            String set = job.dataset().name();
            UserFolder.at(golden.resolve(set)).pack(packed.resolve(set), DatasetSpec.named(set), true);
            assertThat(losses(packed, job)).isEqualTo(losses(golden, job));
        }
    }

    private static JobSpec job(String dataset, String asRead, int outputs) {
        return JobJson.read("""
                {"id": "same", "epochs": 2, "batchSize": 7, "shuffle": true, "seed": 3,
                 "dataset": {"name": "%s", %s"augment": {"horizontalFlip": {"p": 0.5}, "randomCrop": {"padding": 2}}},
                 "optimizer": {"type": "sgd", "learningRate": 0.05},
                 "network": {"layers": [{"type": "conv2d", "out": 4, "kernel": 3}, {"type": "relu"}, {"type": "flatten"},
                  {"type": "linear", "out": %d}]}}""".formatted(dataset, asRead, outputs).getBytes(StandardCharsets.UTF_8));
    }

    /// The losses of all steps and tests.
    private String losses(Path data, JobSpec job) {
        train(data, "reference", job);
        assertThat(losses()).hasSizeGreaterThan(3);
        return Arrays.toString(losses())
                + of(EpochTested.class).stream().map(EpochTested::testLoss).toList();
    }
}
