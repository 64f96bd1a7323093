package io.trainyard.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.checkpoint.CheckpointRef;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.data.DataRoots;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobSpec;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Store faults while a job trains, for every kind of store.
abstract class AbstractStoreFaultsTest extends SmallJobs {
    /// Six steps, a checkpoint after each.
    private static final String JOB =
            "\"epochs\": 2, \"batchSize\": 2000, \"checkpointEverySteps\": 1, \"network\": {\"layers\": [{\"type\": \"flatten\"}, {\"type\": \"linear\", \"out\": 10}]}";

    enum Trouble {
        /// Unreachable.
        AWAY,
        /// Reads only.
        READ_ONLY,
        /// Reads and deletes only.
        FULL,
        /// No answer within any time limit.
        HANGING
    }

    /// The parameters' SHA-256 after a run without faults.
    private static String undisturbed;

    private JobTraining training;
    CheckpointStore store;

    @BeforeAll
    static void runUndisturbed(@TempDir Path folder) {
        List<TrainingEvent> published = new ArrayList<>();
        Outcome _ = new JobTraining(DataRoots.ofFolder(folder), new DeviceSpec("cpu"), 1, "tester")
                .run(
                        job("a", JOB),
                        new JobFolder(CheckpointStore.open(folder.toUri()), "a"),
                        Supervisor.of(published::add, () -> false));
        undisturbed = ((Finished) published.getLast()).parametersSha256();
    }

    abstract CheckpointStore open();

    abstract void trouble(Trouble trouble);

    abstract void mend();

    @BeforeEach
    void begin() {
        training = new JobTraining(DataRoots.ofFolder(root), new DeviceSpec("cpu"), 1, "tester");
        store = open();
    }

    private Outcome attempt(JobSpec job, JobFolder folder, Consumer<TrainingEvent> meddle) {
        Supervisor supervisor = new Supervisor() {
            @Override
            public void publish(TrainingEvent event, Instant time) {
                events.add(event);
                meddle.accept(event);
            }

            @Override
            public Optional<Halt> halt() {
                return Optional.empty();
            }
        };
        return training.attempt(job, folder, folder.beginAttempt("tester"), supervisor);
    }

    @ParameterizedTest
    @EnumSource
    void aFailingStoreRequeuesTheJobAndLosesNothing(Trouble trouble) {
        JobFolder folder = new JobFolder(store, "a");
        Outcome outcome = attempt(job("a", JOB), folder, event -> {
            if (event instanceof CheckpointSaved saved && saved.step() == 2) {
                trouble(trouble);
            }
        });
        assertThat(outcome).as(events.toString()).isInstanceOf(Outcome.WorkerFault.class);
        assertThat(((Released) events.getLast()).reason()).contains("cannot be");
        assertThat(of(Finished.class)).isEmpty();
        mend();
        assertThat(folder.chain().end()).isEmpty();
        assertThat(folder.checkpoints().lastStep()).isGreaterThanOrEqualTo(2);
        assertThat(finish(folder)).isEqualTo(undisturbed);
        assertThat(of(Started.class).getLast().firstStep()).isGreaterThan(2);
    }

    /// @return the SHA-256 of the final parameters
    String finish(JobFolder folder) {
        return ((Outcome.Finished) attempt(job("a", JOB), folder, _ -> {}))
                .event()
                .parametersSha256();
    }

    /// Damages the newest checkpoints one after the other, each in a different file.
    @Test
    void damagedCheckpointsArePassedOver() {
        JobFolder folder = new JobFolder(store, "a");
        assertThatThrownBy(() -> attempt(job("a", JOB), folder, event -> {
                    if (event instanceof CheckpointSaved saved && saved.step() == 5) {
                        throw new SupervisorException("it breaks off", null);
                    }
                }))
                .hasMessage("it breaks off");
        long last = folder.checkpoints().lastStep();
        assertThat(last).isGreaterThanOrEqualTo(5);
        for (int i = 0; i < 3; i++) {
            String ending =
                    List.of(".safetensors", ".training.safetensors", ".json").get(i);
            damage("a/checkpoints/step-%010d-1%s".formatted(last - i, ending), i % 2 == 0);
            assertThat(folder.checkpoints().newest().orElseThrow().progress().step())
                    .as(ending)
                    .isEqualTo(last - i - 1);
        }
        assertThat(finish(folder)).isEqualTo(undisturbed);
        assertThat(of(Started.class).getLast().firstStep()).isEqualTo(last - 2);
    }

    private void damage(String key, boolean cut) {
        byte[] whole = store.read(key).orElseThrow();
        byte[] damaged = cut ? Arrays.copyOf(whole, whole.length / 2) : whole;
        damaged[damaged.length / 2] ^= 4;
        CheckpointRef _ = store.write(key, out -> out.write(damaged));
    }

    @Test
    void retainsTheRequestedCheckpoints() {
        JobFolder folder = new JobFolder(store, "a");
        Outcome outcome = attempt(job("a", JOB + ", \"keepLast\": 2, \"keepBest\": true"), folder, _ -> {});
        assertThat(outcome).isInstanceOf(Outcome.Finished.class);
        List<String> manifests = store.list("a/checkpoints").stream()
                .filter(key -> key.endsWith(".json"))
                .toList();
        assertThat(manifests).hasSizeBetween(2, 3);
        assertThat(store.list("a/checkpoints")).hasSize(3 * manifests.size());
        long last = folder.checkpoints().lastStep();
        assertThat(manifests)
                .endsWith(
                        "a/checkpoints/step-%010d-1.json".formatted(last - 1),
                        "a/checkpoints/step-%010d-1.json".formatted(last));
    }
}
