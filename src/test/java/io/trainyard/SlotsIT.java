package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Three concurrent jobs in a worker that is stopped, and then in one that is killed. Each job ends with the
/// same bits as alone.
@DisabledOnOs(OS.WINDOWS)
final class SlotsIT {
    private static final int SIGTERM_STATUS = 128 + 15;
    private static final List<String> JOBS = List.of("one", "two", "three");

    /// The number of threads affects the bits, so it must not depend on the machine.
    private static final List<String> THREE_SLOTS =
            List.of("TRAINYARD_WORKER_SLOTS=3", "TRAINYARD_WORKER_THREADS=1", "TRAINYARD_WORKER_HEARTBEAT=1s");

    @TempDir
    private Path folder;

    private static String job(String id) {
        return """
            {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 6, "batchSize": 4, "shuffle": true,
             "optimizer": {"type": "sgd", "learningRate": 0.001, "momentum": 0.9}}""".formatted(id);
    }

    @Test
    void threeJobsOfAWorkerThatStopsAndOfOneThatIsKilledEndAsTheyWouldAlone() throws Exception {
        try (PackagedFleet fleet = PackagedFleet.withBroker(folder)) {
            fleet.startWorker("stopped", THREE_SLOTS);
            fleet.awaitMembers();
            JOBS.forEach(job -> fleet.send(job(job), Priority.NORMAL));
            awaitCheckpointsOf(1, fleet);
            fleet.worker("stopped").terminate();
            assertThat(fleet.worker("stopped").exitStatus()).isEqualTo(SIGTERM_STATUS);
            fleet.startWorker("killed", THREE_SLOTS); // only now, so that no job ends while it starts
            awaitCheckpointsOf(2, fleet);
            fleet.worker("killed").kill();
            fleet.startWorker("last", THREE_SLOTS);

            Path file = Files.writeString(folder.resolve("alone.json"), job("alone"));
            String sha256;
            try (TrainyardProcess alone = TrainyardProcess.start(
                    folder, "train", file.toString(), "--json", "--threads", "1", "--checkpoints", "alone")) {
                assertThat(alone.exitStatus()).isZero();
                sha256 = ((Finished) PackagedFleet.event(alone.lines().getLast())).parametersSha256();
            }
            for (String job : JOBS) {
                Finished finished = fleet.await(Topic.JOBS, job, Finished.class);
                assertThat(finished.parametersSha256()).isEqualTo(sha256);
                assertThat(finished.attempt()).isEqualTo(3);
            }
            fleet.checkAll(JOBS.size());
            List<TrainingEvent> all = fleet.events();
            for (String job : JOBS) {
                List<TrainingEvent> events =
                        all.stream().filter(event -> event.job().equals(job)).toList();
                assertThat(events).filteredOn(Released.class::isInstance).hasSize(1);
                assertThat(events)
                        .filteredOn(Started.class::isInstance)
                        .hasSize(3)
                        .allMatch(event -> ((Started) event).threads() == 1);
            }
        }
    }

    private static void awaitCheckpointsOf(int attempt, PackagedFleet fleet) {
        var _ = fleet.read(
                Topic.CHECKPOINTS,
                records -> records.stream()
                                .map(SlotsIT::event)
                                .filter(event -> event instanceof CheckpointSaved && event.attempt() == attempt)
                                .map(TrainingEvent::job)
                                .distinct()
                                .count()
                        == JOBS.size());
    }

    private static TrainingEvent event(ConsumerRecord<String, byte[]> record) {
        return PackagedFleet.event(new String(record.value(), StandardCharsets.UTF_8));
    }
}
