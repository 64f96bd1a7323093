package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.data.DataRoots;
import io.trainyard.data.OwnIdx;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A job on a user's own files.
class OwnDatasetTest extends SmallJobs {
    private JobTraining training;
    private Path marks;

    @BeforeEach
    void writeMarks() throws IOException {
        training = new JobTraining(DataRoots.ofFolder(root), new DeviceSpec("reference"), 1, "tester");
        marks = Files.createDirectory(root.resolve("marks"));
        OwnIdx.write(marks, 6, 3);
        describe("[\"dash\", \"dot\", \"stroke\"]");
    }

    private void describe(String classNames) throws IOException {
        Files.writeString(
                marks.resolve("dataset.json"), "{\"kind\": \"idx\", \"classNames\": %s}".formatted(classNames));
    }

    private Outcome run(String id, String dataset, int outputs) {
        JobSpec job = JobJson.read("""
                {"id": "%s", "dataset": "%s", "epochs": 1, "batchSize": 3, "network": {"layers": [
                 {"type": "flatten"}, {"type": "linear", "out": %d}]}}""".formatted(id, dataset, outputs).getBytes(StandardCharsets.UTF_8));
        JobTraining.requireRunnable(job);
        return run(training, job, () -> false);
    }

    @Test
    void trainsOnItAndPublishesItsClasses() {
        assertThat(run("a", "marks", 3)).isInstanceOf(Outcome.Finished.class);
        Started started = of(Started.class).getFirst();
        assertThat(started.classes()).isEqualTo(3);
        assertThat(started.trainSamples()).isEqualTo(6);
        assertThat(started.dataset())
                .isEqualTo(new TrainingEvent.Dataset(Shape.of(1, 2, 2), List.of("dash", "dot", "stroke")));
    }

    /// Their confusion matrix would make an event too long.
    @Test
    void omitsTheConfusionMatrixOfManyClasses() throws IOException {
        Files.writeString(marks.resolve("dataset.json"), "{\"kind\": \"idx\", \"classes\": 101}");
        assertThat(run("a", "marks", 101)).isInstanceOf(Outcome.Finished.class);
        assertThat(events).hasAtLeastOneElementOfType(EpochTested.class).allSatisfy(event -> {
            if (event instanceof EpochTested tested) {
                assertThat(tested.confusion()).isEmpty();
                assertThat(tested.classAccuracy()).hasSize(101);
            }
        });
    }

    @Test
    void otherWorkersMayHaveAMissingDataset() {
        assertThat(run("a", "markz", 3)).isInstanceOfSatisfying(Outcome.WorkerFault.class, fault -> {
            assertThat(fault.lacking()).isTrue();
            assertThat(fault.event().reason())
                    .contains("dataset markz is not there", root.toString(), "the nearest name is \"marks\"");
        });
    }
}
