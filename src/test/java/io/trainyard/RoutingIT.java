package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.topics.Forwarded;
import io.trainyard.topics.RecordKey;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// Jobs for GPUs in a fleet whose worker has none: they wait where a GPU's worker will look, and hold up nobody.
@DisabledOnOs(OS.WINDOWS)
final class RoutingIT {
    @TempDir
    private static Path folder;

    private static PackagedFleet fleet;

    @BeforeAll
    static void startAWorkerOfTheCpu() {
        fleet = PackagedFleet.of(folder, "routing.");
        fleet.startWorker("w1", "--device", "cpu");
        fleet.awaitMembers();
    }

    @AfterAll
    static void stop() {
        fleet.close();
    }

    private static String job(String id, String device) {
        return """
            {"id": "%s", "dataset": "shapes64", "epochs": 1, "device": "%s",
             "network": {"layers": [{"type": "flatten"}, {"type": "linear", "out": 6}]}}""".formatted(id, device);
    }

    @Test
    void aJobForAGpuWaitsWhileOthersGoOn() throws Exception {
        byte[] body = job("any-producers", "cuda:0").getBytes(StandardCharsets.UTF_8);
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", fleet.kafka(), "acks", "all"),
                new StringSerializer(),
                new ByteArraySerializer())) {
            var _ = Patience.get(
                    producer.send(new ProducerRecord<>(fleet.name(Topic.COMMANDS_HIGH), "any-producers", body)));
        }
        TrainyardProcess submit =
                fleet.submit(List.of(job("submitted", "cuda"), job("for-cpu", "cpu"), job("for-any", "auto"))
                        .toString());
        assertThat(submit.exitStatus()).as(submit.toString()).isZero();

        for (String job : List.of("for-cpu", "for-any")) {
            Finished finished = fleet.await(Topic.JOBS, job, Finished.class);
            assertThat(finished.attempt()).isEqualTo(1);
        }
        ConsumerRecord<String, byte[]> passed =
                fleet.read(Topic.CUDA_COMMANDS_HIGH, read -> !read.isEmpty()).getFirst();
        assertThat(passed.key()).isEqualTo("any-producers");
        assertThat(passed.value()).isEqualTo(body);
        assertThat(header(passed, Forwarded.FROM)).isEqualTo("routing.commands.high");
        assertThat(header(passed, Forwarded.BY)).isEqualTo("w1");
        assertThat(fleet.read(Topic.CUDA_COMMANDS_NORMAL, read -> !read.isEmpty()))
                .extracting(ConsumerRecord::key)
                .containsExactly("submitted");
        assertThat(fleet.read(Topic.JOBS, RoutingIT::bothHaveFinished))
                .extracting(record -> RecordKey.job(record.key()))
                .containsOnly("for-cpu", "for-any");
    }

    private static boolean bothHaveFinished(List<ConsumerRecord<String, byte[]>> read) {
        return read.stream()
                        .map(record -> PackagedFleet.event(new String(record.value(), StandardCharsets.UTF_8)))
                        .filter(Finished.class::isInstance)
                        .count()
                == 2;
    }

    private static String header(ConsumerRecord<String, byte[]> record, String name) {
        return new String(
                Objects.requireNonNull(record.headers().lastHeader(name), name).value(), StandardCharsets.UTF_8);
    }
}
