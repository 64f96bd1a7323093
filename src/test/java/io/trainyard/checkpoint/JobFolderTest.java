package io.trainyard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    void keepsTheFirstOutcome() {
        assertThat(folder.outcome()).isEmpty();
        assertThat(folder.keepOutcome("done".getBytes(StandardCharsets.UTF_8))).isTrue();
        assertThat(folder.keepOutcome("failed".getBytes(StandardCharsets.UTF_8)))
                .isFalse();
        assertThat(folder.outcome())
                .hasValueSatisfying(bytes -> assertThat(bytes).asString().isEqualTo("done"));
    }

    @Test
    void anAttemptBelongsToWhoeverCreatesIt() {
        Holder first = new Holder("w1", "commands.normal-0@17", 2);
        assertThat(folder.lastAttempt()).isZero();
        assertThat(folder.holder(1)).isEmpty();
        assertThat(folder.createAttempt(1, first)).isTrue();
        assertThat(folder.createAttempt(1, new Holder("w2", "commands.normal-0@17", 3)))
                .isFalse();
        assertThat(folder.holder(1)).hasValue(first);
        assertThat(folder.lastAttempt()).isEqualTo(1);
        assertThat(folder.isSuperseded(1)).isFalse();
        assertThat(folder.beginAttempt("w2")).isEqualTo(2);
        assertThat(folder.isSuperseded(1)).isTrue();
        assertThat(folder.isSuperseded(2)).isFalse();
        assertThat(folder.holder(2)).hasValue(new Holder("w2", "", 0));
    }

    @Test
    void saysWhichAttemptNamesNoHolder() throws IOException {
        assertThat(folder.beginAttempt("w1")).isEqualTo(1);
        Files.writeString(root.resolve("job-1/attempts/1"), "w1");
        assertThatThrownBy(() -> folder.holder(1))
                .isInstanceOf(CheckpointException.class)
                .isNotInstanceOf(StoreException.class)
                .hasMessageContaining("job-1/attempts/1 does not say whose attempt it is: ");
    }

    @Test
    void knowsWhichAttemptsBrokeOff() {
        assertThat(folder.brokeOff(1)).isFalse();
        folder.noteStarted(1);
        folder.noteStarted(1);
        assertThat(folder.brokeOff(1)).isTrue();
        folder.noteStopped(1);
        folder.noteStopped(1);
        assertThat(folder.brokeOff(1)).isFalse();
        assertThat(folder.lastAttempt()).as("a note is no attempt").isZero();
    }

    @Test
    void goesOnFromTheNewestCheckpoint() {
        assertThat(folder.checkpoints().newest()).isEmpty();
        CheckpointRef first = folder.checkpoints().save(checkpoint(9, 0.5f));
        CheckpointRef second = folder.checkpoints().save(checkpoint(10, 0.25f));

        assertThat(first.uri()).isNotEqualTo(second.uri());
        Checkpoint newest = folder.checkpoints().newest().orElseThrow();
        assertThat(newest).usingRecursiveComparison().isEqualTo(checkpoint(10, 0.25f));
    }

    @Test
    void givesEachRunOutsideAFleetAFolderOfItsOwn() {
        JobFolder first = JobFolder.ofNewRun(store, "run");
        assertThat(first.keepSpec("{}")).isTrue();
        CheckpointRef ref = first.checkpoints().save(checkpoint(1, 0.5f));
        JobFolder second = JobFolder.ofNewRun(store, "run");
        assertThat(second.checkpoints().newest()).isEmpty();
        assertThat(second.checkpoints().save(checkpoint(2, 0.25f)).uri()).isNotEqualTo(ref.uri());

        assertThat(JobFolder.ofLastRun(store, "run")
                        .checkpoints()
                        .newest()
                        .orElseThrow()
                        .progress()
                        .step())
                .isEqualTo(2);
        assertThat(new JobFolder(store, "run")
                        .checkpoints()
                        .newest()
                        .orElseThrow()
                        .progress()
                        .step())
                .isEqualTo(1);
    }

    @Test
    void decidesOnceWhichCheckpointOfAnotherJobItStartsFrom() {
        CheckpointRef _ = new JobFolder(store, "other").checkpoints().save(checkpoint(9, 0.5f));
        assertThat(folder.source()).isEmpty();
        CheckpointName newest = new CheckpointName("other", null);
        CheckpointName exact = new CheckpointName("other", 9L);
        assertThat(folder.source(newest).name()).isEqualTo(exact);
        CheckpointRef _ = new JobFolder(store, "other").checkpoints().save(checkpoint(10, 0.25f));
        SavedModel model = folder.source(newest);
        assertThat(model.name()).isEqualTo(exact);
        assertThat(model.parameters().floats("w", Shape.of(1))).containsExactly(0.5f);
        assertThat(model.epoch()).isEqualTo(3);
        assertThat(folder.source()).hasValue(exact);
        assertThat(new JobFolder(store, "job-2").source(newest).name().step()).isEqualTo(10);
    }

    private static Checkpoint checkpoint(long step, float weight) {
        var model = new Parameters(Map.of("w", new Tensor.Floats(Shape.of(1), new float[] {weight})));
        var optimizer =
                new Parameters(Map.of("w.momentum_buffer", new Tensor.Floats(Shape.of(1), new float[] {-weight})));
        var progress = new Progress(3, 2, step, new long[] {1, 2, 3}, 0.5, 0.75, 1, 123_456, 0.25, 0.125);
        return new Checkpoint(new SessionState(model, optimizer), progress, 2, 3, List.of());
    }
}
