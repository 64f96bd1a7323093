package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Commands as any producer may write them, to one packaged worker, and then a good one.
@DisabledOnOs(OS.WINDOWS)
final class BadCommandIT {
    private static final String PREFIX = "bad-commands.";
    private static final String COMMANDS = Topic.COMMANDS_NORMAL.name(PREFIX);
    private static final int MAX_REQUEST_BYTES = 200_000_000;
    private static final String SMALL = "{\"layers\": [{\"type\": \"flatten\"}, {\"type\": \"linear\", \"out\": 6}]}";

    private static final List<BadCommand> BAD = BadCommand.all();

    @TempDir
    private static Path folder;

    private static PackagedFleet fleet;
    private static final List<Long> OFFSETS = new ArrayList<>();

    @BeforeAll
    static void submit() throws Exception {
        fleet = PackagedFleet.of(folder, PREFIX);
        fleet.startWorker("w1", "--device", "reference"); // which has no kernels to compile first
        try (var producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        fleet.kafka(),
                        "compression.type",
                        "lz4",
                        "max.request.size",
                        MAX_REQUEST_BYTES,
                        "buffer.memory",
                        2L * MAX_REQUEST_BYTES),
                new StringSerializer(),
                new ByteArraySerializer())) {
            for (BadCommand bad : BAD) {
                OFFSETS.add(send(producer, bad.name(), bad.body()));
            }
            var _ = send(producer, "good", job("good", SMALL, "shapes64", "").getBytes(StandardCharsets.UTF_8));
            Path data = Files.createDirectories(folder.resolve("data").resolve("signs"));
            Files.writeString(data.resolve("train_signs.h5"), "no HDF5");
            var _ = send(
                    producer, "signs", job("signs", "\"signs\"", "signs", "").getBytes(StandardCharsets.UTF_8));
            var _ = send(producer, "test", test("test").getBytes(StandardCharsets.UTF_8));
        }
    }

    private static long send(KafkaProducer<String, byte[]> producer, String key, byte @Nullable [] body)
            throws Exception {
        return Patience.get(producer.send(new ProducerRecord<>(COMMANDS, key, body)))
                .offset();
    }

    @AfterAll
    static void stop() {
        fleet.close();
    }

    private static String job(String id, String network, String dataset, String more) {
        return """
            {"id": "%s", "network": %s, "dataset": "%s"%s, "epochs": 1}""".formatted(id, network, dataset, more);
    }

    /// A test of the good job's checkpoint.
    private static String test(String id) {
        return """
            {"id": "%s", "kind": "evaluate", "initFrom": "good", "dataset": "shapes64", "network": %s}""".formatted(id, SMALL);
    }

    private static List<BadCommand> bad() {
        return BAD;
    }

    @ParameterizedTest
    @MethodSource("bad")
    void endsAsADeadLetterWithASentence(BadCommand bad) {
        List<ConsumerRecord<String, byte[]>> dead = fleet.read(
                Topic.DEAD_LETTER,
                read -> read.stream().anyMatch(record -> record.key().equals(bad.name())));
        ConsumerRecord<String, byte[]> letter = dead.stream()
                .filter(record -> record.key().equals(bad.name()))
                .findFirst()
                .orElseThrow();
        bad.assertIsIn(letter, "w1", new BadCommand.Source(COMMANDS, OFFSETS.get(BAD.indexOf(bad))));
    }

    @Test
    void theWorkerGoesOn() {
        var _ = fleet.await(Topic.JOBS, "test", Finished.class);
        Claimed claimed = fleet.await(Topic.JOBS, "good", Claimed.class);
        assertThat(claimed.worker()).isEqualTo("w1");
        assertThat(claimed.attempt()).isEqualTo(1);
        List<ConsumerRecord<String, byte[]>> dead = fleet.read(Topic.DEAD_LETTER, read -> read.size() >= BAD.size());
        assertThat(dead)
                .extracting(ConsumerRecord::key)
                .containsExactlyElementsOf(BAD.stream().map(BadCommand::name).toList());
        assertThat(folder.resolve("checkpoints").toFile().list())
                .as("nothing else was written")
                .containsExactlyInAnyOrder(".store-id", "good", "signs", "test");
    }

    @Test
    void theGoodJobsCheckpointIsEvaluated() {
        Finished tested = fleet.await(Topic.JOBS, "test", Finished.class);
        Finished trained = fleet.await(Topic.JOBS, "good", Finished.class);
        assertThat(tested.steps()).isZero();
        assertThat(tested.bestTestAccuracy()).isEqualTo(trained.bestTestAccuracy());
        assertThat(tested.parametersSha256()).isEqualTo(trained.parametersSha256());
    }

    @Test
    void theWorkersLogHasALineForEachBeginAndEnd() {
        var _ = fleet.await(Topic.JOBS, "test", Finished.class);
        TrainyardProcess worker = fleet.worker("w1");
        worker.await("job=test attempt=1 worker=w1 step=0 finished: ");
        assertThat(worker.lines())
                .filteredOn(line -> line.contains(" attempt="))
                .hasSize(7);
        assertThat(worker.output())
                .containsPattern("job=good attempt=1 worker=w1 device=\\w+ begins")
                .containsPattern("job=good attempt=1 worker=w1 step=\\d+ finished: best test accuracy 0\\.\\d{4}, ")
                .containsPattern("job=signs attempt=1 worker=w1 failed: .*an intact HDF5 file")
                .doesNotContain("Listening on", "Installed features");
        assertThat(worker.lines())
                .as("of a library")
                .filteredOn(line -> line.contains(" INFO "))
                .allMatch(line -> line.contains(" [i.t.w."));
    }
}
