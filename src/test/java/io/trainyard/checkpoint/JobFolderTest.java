package io.trainyard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobFolderTest {
    @TempDir
    private Path root;

    private CheckpointStore store;
    private JobFolder folder;

    @BeforeEach
    void open() {
        store = CheckpointStore.open(root.toUri());
        folder = new JobFolder(store, "job-1");
    }

    @Test
    void keepsTheFirstSpecification() {
        assertThat(folder.keepSpec("{\"id\":1}")).isTrue();
        assertThat(folder.keepSpec("{\"id\":1}")).isTrue();
        assertThat(folder.keepSpec("{\"id\":2}")).isFalse();
        assertThat(new JobFolder(store, "job-3")
                        .keepSpec("{'id':'a','network':'lenet','dataset':'mnist','epochs':3}".replace('\'', '"')))
                .isTrue();
        String written = "{'id':'a','network':'lenet','dataset':'mnist','epochs':%d,'schedule':{'type':'constant'}}"
                .replace('\'', '"');
        assertThat(new JobFolder(store, "job-3").keepSpec(written.formatted(3)))
                .as("the same job, with a default written out")
                .isTrue();
        assertThat(new JobFolder(store, "job-3").keepSpec(written.formatted(4))).isFalse();
        assertThat(new JobFolder(store, "job-2").keepSpec("{\"id\":2}")).isTrue();
    }

    @Test
    void numbersAttemptsUpwards() {
        assertThat(folder.beginAttempt("a")).isEqualTo(1);
        assertThat(folder.beginAttempt("b")).isEqualTo(2);
        for (int i = 3; i <= 11; i++) {
            assertThat(folder.beginAttempt("a")).isEqualTo(i); // 10 comes after 9, not after 1
        }
        assertThat(new JobFolder(store, "job-2").beginAttempt("a")).isEqualTo(1);
    }

    @Test
    void numbersAttemptsBesideFilesOfOthers() throws IOException {
        assertThat(folder.beginAttempt("a")).isEqualTo(1);
        Files.createFile(root.resolve("job-1/attempts/notes.txt"));
        assertThat(folder.beginAttempt("a")).isEqualTo(2);
    }

    @Test
    void keepsTheOutcome() {
        assertThat(folder.outcome()).isEmpty();
        folder.keepOutcome("done".getBytes(StandardCharsets.UTF_8));
        assertThat(folder.outcome())
                .hasValueSatisfying(bytes -> assertThat(bytes).asString().isEqualTo("done"));
    }

    @Test
    void goesOnFromTheNewestCheckpoint() {
        assertThat(folder.newest()).isEmpty();
        CheckpointRef first = folder.save(checkpoint(9, 0.5f));
        CheckpointRef second = folder.save(checkpoint(10, 0.25f));

        assertThat(first.uri()).isNotEqualTo(second.uri());
        Checkpoint newest = folder.newest().orElseThrow();
        assertThat(newest).usingRecursiveComparison().isEqualTo(checkpoint(10, 0.25f));
    }

    @Test
    void givesEachRunOutsideAFleetAFolderOfItsOwn() {
        JobFolder first = JobFolder.ofNewRun(store, "run");
        assertThat(first.keepSpec("{}")).isTrue();
        CheckpointRef ref = first.save(checkpoint(1, 0.5f));
        JobFolder second = JobFolder.ofNewRun(store, "run");
        assertThat(second.newest()).isEmpty();
        assertThat(second.save(checkpoint(2, 0.25f)).uri()).isNotEqualTo(ref.uri());

        assertThat(JobFolder.ofLastRun(store, "run")
                        .newest()
                        .orElseThrow()
                        .progress()
                        .step())
                .isEqualTo(2);
        assertThat(new JobFolder(store, "run").newest().orElseThrow().progress().step())
                .isEqualTo(1);
    }

    @Test
    void decidesOnceWhichCheckpointOfAnotherJobItStartsFrom() {
        CheckpointRef _ = new JobFolder(store, "other").save(checkpoint(9, 0.5f));
        assertThat(folder.source()).isEmpty();
        CheckpointName newest = new CheckpointName("other", null);
        CheckpointName exact = new CheckpointName("other", 9L);
        assertThat(folder.source(newest).name()).isEqualTo(exact);
        CheckpointRef _ = new JobFolder(store, "other").save(checkpoint(10, 0.25f));
        SavedModel model = folder.source(newest);
        assertThat(model.name()).isEqualTo(exact);
        assertThat(model.parameters().floats("w", Shape.of(1))).containsExactly(0.5f);
        assertThat(model.epoch()).isEqualTo(3);
        assertThat(folder.source()).hasValue(exact);
        assertThat(new JobFolder(store, "job-2").source(newest).name().step()).isEqualTo(10);
    }

    @Test
    void savesTheSameBytesForTheSameState() {
        CheckpointRef first = folder.save(checkpoint(9, 0.5f));
        assertThat(folder.save(checkpoint(9, 0.5f))).isEqualTo(first);
    }

    @Test
    void passesOverACheckpointThatCannotBeRead() throws IOException {
        CheckpointRef good = folder.save(checkpoint(9, 0.5f));
        CheckpointRef cutShort = folder.save(checkpoint(10, 0.25f));
        Path file = Path.of(cutShort.uri());
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
        CheckpointRef alone = folder.save(checkpoint(11, 0.125f));
        Files.delete(Path.of(
                alone.uri().toString().replace("file://", "").replace(".safetensors", ".training.safetensors")));

        assertThat(folder.newest().orElseThrow().progress().step()).isEqualTo(9);
        assertThat(Path.of(good.uri())).exists();
    }

    private static Checkpoint checkpoint(long step, float weight) {
        var model = new Parameters(Map.of("w", new Tensor.Floats(Shape.of(1), new float[] {weight})));
        var optimizer =
                new Parameters(Map.of("w.momentum_buffer", new Tensor.Floats(Shape.of(1), new float[] {-weight})));
        var progress = new Progress(3, 2, step, new long[] {1, 2, 3}, 0.5, 0.75, 1, 123_456);
        return new Checkpoint(new SessionState(model, optimizer), progress, 2, 3);
    }
}
