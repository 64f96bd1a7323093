package io.trainyard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.checkpoint.ChainLink.End;
import io.trainyard.checkpoint.ChainLink.Owner;
import io.trainyard.checkpoint.ChainLink.Pause;
import io.trainyard.device.Parameters;
import io.trainyard.device.SessionState;
import io.trainyard.device.Tensor;
import io.trainyard.spec.CheckpointName;
import io.trainyard.spec.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobFolderTest {
    private static final String FINISHED = "{\"type\": \"finished\"}";

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
            assertThat(folder.beginAttempt("a")).isEqualTo(i); // 10 sorts after 9
        }
        assertThat(new JobFolder(store, "job-2").beginAttempt("a")).isEqualTo(1);
    }

    @Test
    void numbersAttemptsDespiteForeignFiles() throws IOException {
        assertThat(folder.beginAttempt("a")).isEqualTo(1);
        Files.createFile(root.resolve("job-1/attempts/notes.txt"));
        assertThat(folder.beginAttempt("a")).isEqualTo(2);
    }

    @Test
    void oneOfSeveralOwnersCreatesTheLink() {
        Owner first = Owner.of("w1", "commands.normal-0@17", 2);
        assertThat(folder.chain().last()).isZero();
        assertThat(folder.link(1)).isEmpty();
        assertThat(folder.append(0, first)).isEqualTo(first);
        assertThat(folder.append(0, Owner.of("w2", "commands.normal-0@17", 3))).isEqualTo(first);
        assertThat(folder.append(0, first)).as("it is recognized").isEqualTo(first);
        assertThat(folder.append(0, Owner.of("w1", "commands.normal-0@17", 2)))
                .as("another claim of the same command is another")
                .isEqualTo(first);
        assertThat(folder.chain().last()).isEqualTo(1);
        assertThat(folder.chain().link()).hasValue(first);
        assertThat(folder.isSuperseded(1)).isFalse();
        assertThat(folder.beginAttempt("w2")).isEqualTo(2);
        assertThat(folder.isSuperseded(1)).isTrue();
        assertThat(folder.isSuperseded(2)).isFalse();
        assertThat(folder.append(1, new End(FINISHED)))
                .as("a superseded attempt cannot end the job")
                .isInstanceOfSatisfying(
                        Owner.class, owner -> assertThat(owner.worker()).isEqualTo("w2"));
    }

    @Test
    void aPauseIsALinkAndAnEndIsTheLast() {
        assertThat(folder.beginAttempt("w1")).isEqualTo(1);
        Pause pause = new Pause("{\"type\": \"paused\", \"step\": 3}");
        assertThat(folder.append(1, pause)).isEqualTo(pause);
        assertThat(folder.chain().last()).isEqualTo(2);
        assertThat(folder.chain().link()).hasValue(pause);
        assertThat(folder.chain().attempt()).isEqualTo(1);
        assertThat(folder.beginAttempt("w2")).isEqualTo(3);
        assertThat(folder.chain().attempt()).isEqualTo(3);
        assertThat(folder.chain().end()).isEmpty();
        End end = new End(FINISHED);
        assertThat(folder.append(3, end)).isEqualTo(end);
        assertThat(folder.chain().end()).hasValue(end);
        assertThatThrownBy(() -> folder.beginAttempt("w3"))
                .isInstanceOf(CheckpointException.class)
                .hasMessage("the job job-1 has ended");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        w1                                    | Unrecognized token 'w1'
        `{"worker": "w1", "place": ""}`       | its type is ""; allowed is owner, paused, or one of [finished, failed, cancelled, expanded]
        `{"type": "owner", "worker": "w1"}`   | it does not name a worker, a place and a token
        `{"type": "released"}`                | its type is "released"
        """)
    void reportsInvalidLinks(String content, String problem) throws IOException {
        assertThat(folder.beginAttempt("w1")).isEqualTo(1);
        Files.writeString(root.resolve("job-1/attempts/1"), content);
        assertThatThrownBy(() -> folder.link(1))
                .isInstanceOf(CheckpointException.class)
                .isNotInstanceOf(StoreException.class)
                .hasMessageContaining("job-1/attempts/1 is not a link of a job's chain: " + problem);
    }

    @Test
    void knowsWhichAttemptsEndedAbnormally() {
        assertThat(folder.chain().brokeOff(1)).isFalse();
        folder.noteStarted(1);
        folder.noteStarted(1);
        assertThat(folder.chain().brokeOff(1)).isTrue();
        folder.noteStopped(1);
        folder.noteStopped(1);
        assertThat(folder.chain().brokeOff(1)).isFalse();
        folder.notePreempted(1, "urgent");
        folder.notePreempted(3, "urgent");
        assertThat(folder.chain().preemptions()).isEqualTo(2);
        assertThat(folder.chain().last()).as("a note is no link").isZero();
    }

    @Test
    void resumesFromTheNewestCheckpoint() {
        assertThat(folder.checkpoints().newest()).isEmpty();
        CheckpointRef first = folder.checkpoints().save(checkpoint(9, 0.5f));
        CheckpointRef second = folder.checkpoints().save(checkpoint(10, 0.25f));

        assertThat(first.uri()).isNotEqualTo(second.uri());
        Checkpoint newest = folder.checkpoints().newest().orElseThrow();
        assertThat(newest).usingRecursiveComparison().isEqualTo(checkpoint(10, 0.25f));
    }

    @Test
    void eachRunOutsideAFleetHasItsOwnFolder() {
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
