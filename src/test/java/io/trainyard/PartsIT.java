package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
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

/// Two processes train a job that its message says is for two workers; one of them is killed.
@DisabledOnOs(OS.WINDOWS)
final class PartsIT {
    private static final List<String> SOON = List.of("TRAINYARD_WORKER_HEARTBEAT=1s", "TRAINYARD_WORKER_THREADS=2");

    @TempDir
    private static Path folder;

    private static PackagedFleet fleet;
    private static Path secret;

    @BeforeAll
    static void start() throws Exception {
        secret = Files.writeString(folder.resolve("secret"), "0123456789abcdef0123456789abcdef");
        fleet = PackagedFleet.withBroker(folder);
        startWorker("w1");
        startWorker("w2");
        fleet.awaitMembers();
    }

    @AfterAll
    static void stop() {
        fleet.close();
    }

    private static void startWorker(String id) {
        fleet.startWorker(id, SOON, "--secret", secret.toString(), "--host", "127.0.0.1");
    }

    private static String job(String id, String devices) {
        return """
            {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 12, "batchSize": 20, "shuffle": true,
             "devices": %s, "optimizer": {"type": "sgd", "learningRate": 0.01, "momentum": 0.9}}""".formatted(id, devices);
    }

    @Test
    void whoeverIsKilledTheJobGoesOnWithOthersAndTheSameBits() {
        assertThat(fleet.submit(job("member", "{\"workers\": 2}")).exitStatus()).isZero();
        var _ = fleet.await(Topic.CHECKPOINTS, "member", CheckpointSaved.class);
        String leader = fleet.await(Topic.JOBS, "member", Claimed.class).worker();
        startWorker("w3");
        fleet.worker(leader.equals("w1") ? "w2" : "w1").kill();
        Finished first = fleet.await(Topic.JOBS, "member", Finished.class);
        assertThat(first.attempt()).isGreaterThan(1);
        assertThat(eventsOf("member")).filteredOn(Released.class::isInstance).isNotEmpty();
        fleet.check("member");

        assertThat(fleet.submit(job("leader", "{\"workers\": 2}")).exitStatus()).isZero();
        var _ = fleet.await(Topic.CHECKPOINTS, "leader", CheckpointSaved.class);
        startWorker("w4");
        fleet.worker(fleet.await(Topic.JOBS, "leader", Claimed.class).worker()).kill();
        Finished second = fleet.await(Topic.JOBS, "leader", Finished.class);
        assertThat(second.attempt()).isGreaterThan(1);
        fleet.check("leader");

        assertThat(fleet.submit(job("alone", "[\"cpu\", \"cpu\"]")).exitStatus())
                .isZero();
        String expected = fleet.await(Topic.JOBS, "alone", Finished.class).parametersSha256();
        assertThat(first.parametersSha256()).isEqualTo(expected);
        assertThat(second.parametersSha256()).isEqualTo(expected);
    }

    private static List<TrainingEvent> eventsOf(String job) {
        return fleet.events().stream().filter(event -> event.job().equals(job)).toList();
    }
}
