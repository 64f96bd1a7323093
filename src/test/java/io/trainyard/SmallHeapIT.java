package io.trainyard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent.Expanded;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.ownership.CommandContent;
import io.trainyard.ownership.Ownership;
import io.trainyard.ownership.OwnershipJson;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A worker with a small heap gets large records, and trains a job afterwards.
class SmallHeapIT {
    private static final String HEAP = "-Xmx384m";
    private static final int LAYERS = 1000;
    private static final int TRIALS = 600;

    /// About 100 kB; no worker has its dataset.
    private static final String LARGE = """
            {"id": "%s", "network": {"layers": [%s]}, "dataset": "nobody", "epochs": 1%s}""";

    private static final String SMALL = """
            {"id": "small", "network": "lenet", "dataset": "shapes32", "epochs": 1, "batchSize": 512}""";

    @TempDir
    private Path folder;

    private static String large(String id, String more) {
        String layers = IntStream.range(0, LAYERS)
                .mapToObj(_ -> "{\"type\": \"conv2d\", \"out\": 8, \"kernel\": 3, \"padding\": 1}")
                .collect(Collectors.joining(", "));
        return LARGE.formatted(id, layers, more);
    }

    @Test
    void aSweepOfLargeTrialsControlRecordsAndForgedWorkers() {
        feed(2_000, 2_000, 20, 5);
    }

    private void feed(int controls, int workers, int ownerships, int commands) {
        try (PackagedFleet fleet = PackagedFleet.withBroker(folder)) {
            fleet.startWorker("small", List.of("TRAINYARD_JAVA_OPTS=" + HEAP), "--device", "cpu");
            fleet.awaitMembers();
            try (KafkaProducer<String, byte[]> producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", fleet.kafka(), "max.request.size", 4 << 20),
                    new StringSerializer(),
                    new ByteArraySerializer())) {
                for (int i = 0; i < controls; i++) {
                    Control control = new Control("controlled-" + i, DesiredState.PAUSE, null, Instant.now());
                    send(producer, fleet, Topic.CONTROL, "controlled-" + i, EventJson.write(control));
                }
                for (int i = 0; i < workers; i++) {
                    String forged = """
                            {"worker": "forged-%d", "device": "cpu", "samplesPerSecond": 0, "memoryBytes": 0,
                             "checkpointFailures": 0, "stopping": false, "problem": "%s"}""".formatted(i, "x".repeat(2000));
                    send(producer, fleet, Topic.WORKERS, "forged-" + i, forged.getBytes(UTF_8));
                }
                for (int i = 0; i < ownerships; i++) {
                    JobSpec job = JobJson.read(large("owned-" + i, "").getBytes(UTF_8));
                    CommandContent request = new CommandContent(job, 1, Priority.LOW, List.of(), null, null, 0);
                    send(
                            producer,
                            fleet,
                            Topic.OWNERSHIP,
                            job.id(),
                            OwnershipJson.write(Ownership.paused(request, "x")));
                }
                for (int i = 0; i < commands; i++) {
                    String numbers = String.join(",", Collections.nCopies(240_000, "0"));
                    String command = """
                            {"id": "long-%d", "network": "lenet", "epochs": 1,
                             "dataset": {"name": "nobody", "normalize": {"mean": [%s], "std": [%s]}}}""".formatted(i, numbers, numbers);
                    send(producer, fleet, Topic.COMMANDS_NORMAL, "long-" + i, command.getBytes(UTF_8));
                }
                String sweep = large(
                        "sweep", ", \"random\": " + TRIALS + ", \"sweep\": {\"seed\": {\"min\": 1, \"max\": 100000}}");
                send(producer, fleet, Topic.COMMANDS_NORMAL, "sweep", sweep.getBytes(UTF_8));
                producer.flush();
            }
            // On a busy machine the lock of the sweep's command may end during its validation; then attempt 2 expands
            // it.
            assertThat(fleet.await(Topic.JOBS, "sweep", Expanded.class).trials())
                    .as("a worker with %s is enough: %s", HEAP, fleet)
                    .isEqualTo(TRIALS);
            fleet.send(SMALL, Priority.HIGH);
            assertThat(fleet.await(Topic.JOBS, "small", Finished.class).steps()).isPositive();
            assertThat(fleet.worker("small").isAlive()).as(fleet.toString()).isTrue();
        }
    }

    private static void send(
            KafkaProducer<String, byte[]> producer, PackagedFleet fleet, Topic topic, String key, byte[] value) {
        var _ = producer.send(new ProducerRecord<>(fleet.name(topic), 0, key, value));
    }
}
