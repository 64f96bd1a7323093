package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// A worker ends in the middle of a job: another one continues, and the final weights have the same bits as
/// without interruption.
@DisabledOnOs(OS.WINDOWS)
final class HandoverIT {
    /// Other workers take a job after eight seconds without heartbeats instead of sixteen.
    private static final List<String> SOON = List.of("TRAINYARD_WORKER_HEARTBEAT=1s");

    @TempDir
    private static Path folder;

    private static PackagedFleet fleet;
    private static TrainyardProcess uninterrupted;

    @BeforeAll
    static void start() throws Exception {
        fleet = PackagedFleet.withBroker(folder);
        fleet.startWorker("w1", SOON);
        fleet.startWorker("w2", SOON);
        Path file = Files.writeString(folder.resolve("uninterrupted.json"), job("uninterrupted"));
        uninterrupted =
                TrainyardProcess.start(folder, "train", file.toString(), "--json", "--checkpoints", "uninterrupted");
    }

    @AfterAll
    static void stop() {
        uninterrupted.close();
        fleet.close();
    }

    /// Takes some seconds: 6 epochs of 1600 steps of a quarter of a millisecond.
    private static String job(String id) {
        return """
            {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 6, "batchSize": 4, "shuffle": true,
             "optimizer": {"type": "sgd", "learningRate": 0.001, "momentum": 0.9}}""".formatted(id);
    }

    private static String lasting(String id, int epochs) {
        return job(id).replace("\"epochs\": 6", "\"epochs\": " + epochs);
    }

    private static String expectedSha256() {
        assertThat(uninterrupted.exitStatus()).isZero();
        return ((Finished) PackagedFleet.event(uninterrupted.lines().getLast())).parametersSha256();
    }

    @Smoke
    @Test
    void anotherWorkerFinishesTheJobOfAKilledOne() {
        String first = submitAndAwaitCheckpoint("killed", "w4");
        fleet.worker(first).kill();
        Finished finished = fleet.await(Topic.JOBS, "killed", Finished.class);

        List<TrainingEvent> events = eventsOf("killed");
        Started started = the(Started.class, 2, events);
        assertThat(the(Claimed.class, 2, events).worker()).isNotEqualTo(first);
        // It may also resume from a later checkpoint that was complete but unpublished at the kill.
        assertThat(started.firstStep() - 1).isGreaterThanOrEqualTo(lastSaved(1, events));
        assertThat(stepsOf(2, events)).isEqualTo(finished.steps() - started.firstStep() + 1);
        assertThat(events).filteredOn(Released.class::isInstance).isEmpty();
        assertThat(events).filteredOn(Finished.class::isInstance).hasSize(1);
        assertThat(finished.attempt()).isEqualTo(2);
        assertThat(finished.parametersSha256()).isEqualTo(expectedSha256());
        fleet.check("killed");
    }

    /// The other worker has a job that is not preemptible.
    @Test
    void aPreemptedJobContinuesAndEndsTheSame() {
        if (fleet.running().size() < 2) {
            fleet.startWorker("w5", SOON);
        }
        String firm = lasting("firm", 150).replace("\"shuffle\"", "\"preemptible\": false, \"shuffle\"");
        fleet.send(firm, Priority.NORMAL);
        String busy = fleet.await(Topic.JOBS, "firm", Claimed.class).worker();
        fleet.send(lasting("preempted", 12), Priority.NORMAL);
        String first = fleet.await(Topic.JOBS, "preempted", Claimed.class).worker();
        var _ = fleet.await(Topic.CHECKPOINTS, "preempted", CheckpointSaved.class);
        fleet.send(lasting("urgent", 1), Priority.HIGH);
        assertThat(fleet.await(Topic.JOBS, "urgent", Claimed.class).worker())
                .isEqualTo(first)
                .isNotEqualTo(busy);
        assertThat(fleet.start("cancel", "firm").exitStatus()).isZero(); // no longer needed
        fleet.send(lasting("twin", 12), Priority.NORMAL);
        Finished finished = fleet.await(Topic.JOBS, "preempted", Finished.class);

        List<TrainingEvent> events = eventsOf("preempted");
        Released released = the(Released.class, 1, events);
        assertThat(released.preemptedBy()).isEqualTo("urgent");
        assertThat(released.reason())
                .isEqualTo("preempted on worker %s by the high-priority job urgent".formatted(first));
        assertThat(the(Started.class, 2, events).firstStep()).isEqualTo(released.step() + 1);
        assertThat(stepsOf(1, events) + stepsOf(2, events))
                .as(() -> "steps of the first two attempts of %s, with %s".formatted(withoutLosses(), fleet))
                .isEqualTo(finished.steps());
        assertThat(finished.parametersSha256())
                .isEqualTo(fleet.await(Topic.JOBS, "twin", Finished.class).parametersSha256());
        fleet.check("preempted");
    }

    /// Submits a job to two workers. Each test ends one of them.
    ///
    /// @param another the worker to start if there is only one
    /// @return the worker that has the job, just after its first checkpoint
    private static String submitAndAwaitCheckpoint(String job, String another) {
        if (fleet.running().size() < 2) {
            fleet.startWorker(another, SOON);
        }
        fleet.awaitMembers();
        assertThat(fleet.submit(job(job)).exitStatus()).isZero();
        var _ = fleet.await(Topic.CHECKPOINTS, job, CheckpointSaved.class);
        return fleet.await(Topic.JOBS, job, Claimed.class).worker();
    }

    private static List<TrainingEvent> eventsOf(String job) {
        return fleet.events().stream().filter(event -> event.job().equals(job)).toList();
    }

    /// The events of all jobs that show how one attempt followed another.
    private static List<TrainingEvent> withoutLosses() {
        return fleet.events().stream()
                .filter(event -> !(event instanceof StepLosses))
                .toList();
    }

    private static <T extends TrainingEvent> T the(Class<T> type, int attempt, List<TrainingEvent> events) {
        List<T> found = events.stream()
                .filter(event -> type.isInstance(event) && event.attempt() == attempt)
                .map(type::cast)
                .toList();
        assertThat(found).as("%s of attempt %d", type.getSimpleName(), attempt).hasSize(1);
        return found.getFirst();
    }

    private static long lastSaved(int attempt, List<TrainingEvent> events) {
        return events.stream()
                .filter(event -> event instanceof CheckpointSaved && event.attempt() == attempt)
                .mapToLong(event -> ((CheckpointSaved) event).step())
                .max()
                .orElseThrow();
    }

    /// The number of steps that an attempt published; checks that each was published once.
    private static long stepsOf(int attempt, List<TrainingEvent> events) {
        long first = the(Started.class, attempt, events).firstStep();
        long next = first;
        for (TrainingEvent event : events) {
            if (event instanceof StepLosses losses && losses.attempt() == attempt) {
                assertThat(losses.firstStep()).isEqualTo(next);
                next = losses.lastStep() + 1;
            }
        }
        return next - first;
    }
}
