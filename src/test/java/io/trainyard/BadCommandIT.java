package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    private static final int HUNDRED_MEGABYTES = 100_000_000;
    private static final String SMALL = "{\"layers\": [{\"type\": \"flatten\"}, {\"type\": \"linear\", \"out\": 6}]}";

    /// Named by its key.
    ///
    /// @param words what the reason must hold
    record Bad(String key, byte @Nullable [] body, List<String> words) {
        @Override
        public String toString() {
            return key;
        }
    }

    private static final List<Bad> BAD = List.of(
            bad("not JSON", "epochs: 3", "not JSON", "epochs"),
            bad("unknown field", job("field", SMALL, "shapes64", ", \"epoch\": 2"), "\"epoch\"", "epochs"),
            bad("unknown network", job("network", "\"resnet\"", "shapes64", ""), "\"resnet\"", "lenet"),
            bad("shapes", job("shapes", "\"signs\"", "shapes32", ""), "\"fc3\" gives 6", "10 classes"),
            bad("unknown data set", job("dataset", SMALL, "imagenet", ""), "\"imagenet\"", "cifar10"),
            bad("path in the id", job("../../etc", SMALL, "shapes64", ""), "id is \"../../etc\""),
            bad("path in the data set", job("path", SMALL, "../../etc", ""), "dataset", "\"../../etc\""),
            bad("epochs 0", job("zero", SMALL, "shapes64", "").replace("1}", "0}"), "epochs is 0"),
            bad("batch", job("batch", SMALL, "shapes64", ", \"batchSize\": 60000"), "batchSize is 60000"),
            bad("path of a checkpoint", job("from", SMALL, "shapes64", ", \"initFrom\": \"../good\""), "\"../good\""),
            bad(
                    "epochs of a test",
                    test("no").replace("{\"id\"", "{\"epochs\": 1, \"id\""),
                    "epochs is 1",
                    "\"evaluate\""),
            new Bad("100 MB", layers(), List.of(Integer.toString(HUNDRED_MEGABYTES), "1048576")),
            new Bad("null", null, List.of("empty")));

    @TempDir
    private static Path folder;

    private static PackagedFleet fleet;
    private static final List<Long> OFFSETS = new ArrayList<>();

    @BeforeAll
    static void submit() throws Exception {
        fleet = PackagedFleet.of(folder, PREFIX);
        fleet.startWorker("w1");
        try (var producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        fleet.kafka(),
                        "compression.type",
                        "lz4",
                        "max.request.size",
                        2 * HUNDRED_MEGABYTES,
                        "buffer.memory",
                        3L * HUNDRED_MEGABYTES),
                new StringSerializer(),
                new ByteArraySerializer())) {
            for (Bad bad : BAD) {
                OFFSETS.add(send(producer, bad.key(), bad.body()));
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

    private static Bad bad(String key, String body, String... words) {
        return new Bad(key, body.getBytes(StandardCharsets.UTF_8), List.of(words));
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

    /// Exactly so many bytes of layers, which lz4 makes short enough for the brokers.
    private static byte[] layers() {
        byte[] layer = "{\"type\": \"relu\"},".getBytes(StandardCharsets.UTF_8);
        byte[] body = new byte[HUNDRED_MEGABYTES];
        for (int i = 0; i < body.length; i++) {
            body[i] = layer[i % layer.length];
        }
        byte[] start = "{\"id\": \"huge\", \"network\": {\"layers\": [".getBytes(StandardCharsets.UTF_8);
        System.arraycopy(start, 0, body, 0, start.length);
        return body;
    }

    private static List<Bad> bad() {
        return BAD;
    }

    @ParameterizedTest
    @MethodSource("bad")
    void endsAsADeadLetterWithASentence(Bad bad) {
        List<ConsumerRecord<String, byte[]>> dead = fleet.read(
                Topic.DEAD_LETTER,
                read -> read.stream().anyMatch(record -> record.key().equals(bad.key())));
        ConsumerRecord<String, byte[]> letter = dead.stream()
                .filter(record -> record.key().equals(bad.key()))
                .findFirst()
                .orElseThrow();

        assertThat(header(letter, DeadLetter.REASON)).contains(bad.words()).doesNotContain("Exception", "\n", "io.");
        assertThat(header(letter, DeadLetter.SOURCE_TOPIC)).isEqualTo(COMMANDS);
        assertThat(header(letter, DeadLetter.SOURCE_PARTITION)).isEqualTo("0");
        assertThat(header(letter, DeadLetter.SOURCE_OFFSET))
                .isEqualTo(OFFSETS.get(BAD.indexOf(bad)).toString());
        assertThat(header(letter, DeadLetter.WORKER)).isEqualTo("w1");
        assertThat(header(letter, "ce_type")).isEqualTo(CloudEvents.DEAD_COMMAND);
        byte[] sent = bad.body() == null ? new byte[0] : bad.body();
        assertThat(letter.value()).isEqualTo(Arrays.copyOf(sent, Math.min(sent.length, DeadLetter.MAX_BODY_BYTES)));
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
                .containsExactlyElementsOf(BAD.stream().map(Bad::key).toList());
        assertThat(folder.resolve("checkpoints").toFile().list())
                .as("nothing else was written")
                .containsExactlyInAnyOrder("good", "signs", "test");
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
                .hasSize(5);
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

    private static String header(ConsumerRecord<String, byte[]> record, String name) {
        return new String(
                Objects.requireNonNull(record.headers().lastHeader(name), name).value(), StandardCharsets.UTF_8);
    }
}
