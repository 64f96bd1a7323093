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

/// Workers with too little heap: each ends, but the cause must not end all others.
@DisabledOnOs(OS.WINDOWS)
final class OutOfMemoryIT {
    /// The exit status of a JVM with `-XX:+ExitOnOutOfMemoryError`.
    private static final int OUT_OF_MEMORY_STATUS = 3;

    private static final int HEAP_MEGABYTES = 256;

    /// Kafka's minimum, because each delivery costs a worker.
    private static final int DELIVERIES = 2;

    /// Kafka's minimum for the largest limit of a group. Workers request more, and this broker refuses it.
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

    /// No worker can read a record larger than its heap. The brokers stop delivering it at the limit.
    @Test
    void anUnreadableLargeCommandEndsOneWorkerPerDelivery() throws Exception {
        Map<String, String> settings = new HashMap<>(TestBroker.settings(TestBroker.NEVER));
        settings.put("group.share.max.delivery.count.limit", Integer.toString(MOST_DELIVERIES));
        settings.put("group.share.delivery.count.limit", Integer.toString(DELIVERIES));
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0, Topic.DEFAULT_PREFIX, settings);
                PackagedFleet fleet = PackagedFleet.on(folder, broker.address())) {
            send(fleet, new byte[(HEAP_MEGABYTES + 50) << 20]);
            send(fleet, GOOD.getBytes(StandardCharsets.UTF_8));
            for (int i = 1; i <= DELIVERIES; i++) {
                fleet.startWorker("w" + i, SMALL, "--device", "reference"); // compiles no kernels first
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
