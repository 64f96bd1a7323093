package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.checkpoint.ChainLink.Owner;
import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Progress;
import io.trainyard.data.DataRoots;
import io.trainyard.event.EventJson;
import io.trainyard.event.SampleEvents;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.ownership.Request;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Priority;
import io.trainyard.training.JobTraining;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A claim ends within the lock's time, however long the job's history is.
@Slow
class ClaimCostTest {
    private static final int ATTEMPTS = 50;
    private static final int SAVED_BY_EACH = 10;
    private static final int MAX_CALLS = 20;
    private static final Duration MAX_TIME = Duration.ofSeconds(2);

    private static final JobSpec JOB = JobJson.read("""
            {"id": "old", "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 10}]},
             "dataset": "shapes32", "epochs": 2, "batchSize": 1, "checkpointEverySteps": 50}""".getBytes(StandardCharsets.UTF_8));

    @TempDir
    private Path root;

    private record Begun(List<String> calls, Duration time) {}

    @Test
    void aLongHistoryOnABucketCostsFewCalls() {
        CountingStore store = new CountingStore();
        try (Fleet fleet = new Fleet(store)) {
            JobTraining training = new JobTraining(DataRoots.ofFolder(root), new DeviceSpec("cpu"), 1, "w");
            makeHistory(store, training);
            CompletableFuture<Begun> begun = new CompletableFuture<>();
            JobRunner runner = (job, attempt, supervisor) -> training.attempt(
                    job,
                    new JobFolder(store, job.id()),
                    attempt,
                    untilStarted(supervisor, () -> begun.complete(new Begun(store.calls(), store.elapsed()))));
            var _ = fleet.start("w", runner);
            Request command = new Request(JOB, ATTEMPTS + 1, Priority.NORMAL, List.of(), store.identity(), null, 0);
            store.begin(Duration.ofMillis(20));
            Patience.get(fleet.publisher("test").publish(command));
            Begun first = Patience.get(begun);
            System.out.printf(
                    "%d calls, %d ms%n", first.calls().size(), first.time().toMillis());
            assertThat(first.calls()).hasSizeLessThanOrEqualTo(MAX_CALLS);
            assertThat(first.time()).isLessThan(MAX_TIME);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Supervisor untilStarted(Supervisor supervisor, Runnable atStart) {
        return new Supervisor() {
            @Override
            public void publish(TrainingEvent event, Instant time) {
                if (event instanceof Started) {
                    atStart.run();
                }
                supervisor.publish(event, time);
            }

            @Override
            public void republish(String event) {
                supervisor.republish(event);
            }

            @Override
            public Optional<Halt> halt() {
                return Optional.of(Halt.CANCEL);
            }
        };
    }

    /// Writes the links of many attempts. Only the last one has a real checkpoint.
    private static void makeHistory(CountingStore store, JobTraining training) {
        JobFolder folder = new JobFolder(store, JOB.id());
        AtomicBoolean enough = new AtomicBoolean();
        Outcome outcome = training.run(
                JOB,
                folder,
                Supervisor.of(
                        event -> enough.compareAndSet(
                                false,
                                event instanceof CheckpointSaved saved && saved.step() >= ATTEMPTS * SAVED_BY_EACH),
                        enough::get));
        assertThat(outcome).isInstanceOf(Outcome.Released.class);
        Checkpoint real = folder.checkpoints().newest().orElseThrow();
        assertThat(real.progress().step()).isGreaterThanOrEqualTo(ATTEMPTS * SAVED_BY_EACH);
        store.list("old/attempts").forEach(store::delete);
        store.list("old/checkpoints").forEach(store::delete);
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            Owner owner = Owner.of("w", "commands.normal-0@%d".formatted(1000 + attempt), 1);
            assertThat(folder.append(attempt - 1, owner)).isEqualTo(owner);
            folder.noteFrom(attempt, Optional.of(at(real, attempt * SAVED_BY_EACH, attempt - 1, List.of())));
            for (int i = 1; i <= SAVED_BY_EACH; i++) {
                String name = "old/checkpoints/step-%010d-%d".formatted(attempt * SAVED_BY_EACH - 10 + i, attempt);
                List.of(".json", ".safetensors", ".training.safetensors")
                        .forEach(ending -> store.put(name + ending, new byte[1]));
            }
        }
        List<String> pending = IntStream.rangeClosed(1, 20)
                .mapToObj(step -> new String(
                        EventJson.write(SampleEvents.losses("old", ATTEMPTS, 0, step, 1), Instant.now()),
                        StandardCharsets.UTF_8))
                .toList();
        var _ = folder.checkpoints().save(at(real, real.progress().step(), ATTEMPTS, pending));
    }

    private static Checkpoint at(Checkpoint checkpoint, long step, int attempt, List<String> pending) {
        Progress at = checkpoint.progress();
        return new Checkpoint(
                checkpoint.state(),
                new Progress(
                        at.epoch(),
                        at.stepOfEpoch(),
                        step,
                        at.random(),
                        at.accuracy(),
                        at.bestAccuracy(),
                        at.bestEpoch(),
                        at.workedMicros(),
                        at.testLoss(),
                        at.bestTestLoss()),
                checkpoint.threads(),
                attempt,
                pending);
    }
}
