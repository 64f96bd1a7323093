package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.broker.EmbeddedBroker;
import io.trainyard.broker.TestBroker;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Workers whose heap is too small: each ends, and what ended it does not end all others.
@DisabledOnOs(OS.WINDOWS)
final class OutOfMemoryIT {
    /// Of a JVM with `-XX:+ExitOnOutOfMemoryError`.
    private static final int OUT_OF_MEMORY_STATUS = 3;

    private static final int HEAP_MEGABYTES = 256;

    /// The least that Kafka takes for a limit, since each costs a worker.
    private static final int DELIVERIES = 2;

    /// The least that Kafka takes for the most that groups may set; workers ask for more, and this broker refuses it.
    private static final int MOST_DELIVERIES = 5;

    private static final List<String> SMALL = List.of(
            "TRAINYARD_JAVA_OPTS=-Xmx%dm".formatted(HEAP_MEGABYTES),
            "TRAINYARD_WORKER_HEARTBEAT=250ms",
            "TRAINYARD_WORKER_MAX_ATTEMPTS=2");

    private static final String GOOD = """
            {"id": "good", "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 6}]}, "dataset": "shapes64",
             "epochs": 1}""";

    @TempDir
    Path folder;

    /// No worker can even look at a record that is larger than its heap. The brokers hand it out so often and no more.
    @Test
    void aCommandThatNoWorkerCanReadEndsAsManyAsItIsHandedTo() throws Exception {
        Map<String, String> settings = new HashMap<>(TestBroker.settings(TestBroker.NEVER));
        settings.put("group.share.max.delivery.count.limit", Integer.toString(MOST_DELIVERIES));
        settings.put("group.share.delivery.count.limit", Integer.toString(DELIVERIES));
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0, Topic.DEFAULT_PREFIX, settings);
                PackagedFleet fleet = PackagedFleet.on(folder, broker.address())) {
            send(fleet, new byte[(HEAP_MEGABYTES + 50) << 20]);
            send(fleet, GOOD.getBytes(StandardCharsets.UTF_8));
            for (int i = 1; i <= DELIVERIES; i++) {
                fleet.startWorker("w" + i, SMALL, "--device", "reference"); // has no kernels to compile first
                assertThat(fleet.worker("w" + i).exitStatus())
                        .as(fleet.toString())
                        .isEqualTo(OUT_OF_MEMORY_STATUS);
            }
            fleet.startWorker("last", SMALL, "--device", "reference");
            assertThat(fleet.await(Topic.JOBS, "good", Finished.class).attempt())
                    .isEqualTo(1);
        }
    }

    private static void send(PackagedFleet fleet, byte[] command) throws Exception {
        try (var producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        fleet.kafka(),
                        "compression.type",
                        "lz4",
                        "max.request.size",
                        2 * HEAP_MEGABYTES << 20,
                        "buffer.memory",
                        4L * HEAP_MEGABYTES << 20),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            Objects.requireNonNull(
                    Patience.get(producer.send(new ProducerRecord<>(fleet.name(Topic.COMMANDS_NORMAL), command))));
        }
    }
}
