package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.data.DataRoots;
import io.trainyard.data.Npy;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A worker caches a dataset between jobs, and reads it again after its files change.
class ReplacedFilesTest {
    @TempDir
    Path root;

    private JobTraining training;
    private Path rows;

    @BeforeEach
    void makeSet() throws IOException {
        rows = Files.createDirectory(root.resolve("rows"));
        Npy.write(rows, Npy.rows());
        Files.writeString(rows.resolve("dataset.json"), "{\"kind\": \"arrays\"}");
        training = new JobTraining(DataRoots.ofFolder(root), new DeviceSpec("reference"), 0, "test");
    }

    /// A file is replaced as by `mv` and `cp`, with one of the same size.
    @Test
    void filesOfTheSameSizeAreNoticed() throws IOException {
        List<Float> before = losses();
        assertThat(losses()).isEqualTo(before);
        Path file = rows.resolve("x_train.npy");
        FileTime time = Files.getLastModifiedTime(file);
        Path beside = Files.write(root.resolve("other"), Npy.npy("<f4", "(3, 2)", Npy.floats(6, 5, 4, 3, 2, 1)));
        Files.setLastModifiedTime(beside, FileTime.fromMillis(time.toMillis() + 1));
        Files.move(beside, file, StandardCopyOption.REPLACE_EXISTING);
        assertThat(losses()).isNotEqualTo(before);
    }

    private List<Float> losses() throws IOException {
        JobSpec job = JobJson.read("""
                {"id": "rows", "epochs": 1, "batchSize": 1, "dataset": "rows",
                 "network": {"layers": [{"type": "linear", "out": 3}]}}""".getBytes(StandardCharsets.UTF_8));
        Path store = Files.createTempDirectory(root, "checkpoints");
        List<TrainingEvent> events = new ArrayList<>();
        Outcome outcome = training.run(
                job,
                new JobFolder(CheckpointStore.open(store.toUri()), job.id()),
                Supervisor.of(events::add, () -> false));
        assertThat(outcome).isInstanceOf(Outcome.Finished.class);
        List<Float> losses = new ArrayList<>();
        for (TrainingEvent event : events) {
            if (event instanceof StepLosses steps) {
                for (float loss : steps.losses()) {
                    losses.add(loss);
                }
            }
        }
        return losses;
    }
}
