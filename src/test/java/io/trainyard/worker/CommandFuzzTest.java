package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.spec.JobJson;
import io.trainyard.topics.CommandLimits;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/// Anyone can write to a command topic. Each record leads to a job or a dead letter, and never stops a worker.
/// The broker and the claim loop are real.
@Slow
class CommandFuzzTest {
    /// `-Dcommands=10000 -Dseed=1` runs more or different commands.
    @Test
    void fuzzedCommandsRunOrAreDeadLettered() throws Exception {
        assertEachIsRunOrADeadLetter(Long.getLong("seed", 20251122), Integer.getInteger("commands", 300));
    }

    /// A valid command at each end shows that all commands between them have been handled.
    private static void assertEachIsRunOrADeadLetter(long seed, int count) throws Exception {
        try (Fleet fleet = new Fleet()) {
            publish(fleet, seed, count);
            fleet.submit("last");
            fleet.submit("end", "{".getBytes(StandardCharsets.UTF_8));
            FleetWorker worker = fleet.start("w", fleet.runner("w"));
            Set<Integer> dead = new HashSet<>();
            for (var letter : fleet.read(Topic.DEAD_LETTER, CommandFuzzTest::hasEnd)) {
                dead.add(Integer.parseInt(Fleet.header(letter, DeadLetter.SOURCE_OFFSET)));
                assertThat(Fleet.header(letter, DeadLetter.REASON)).isNotBlank().hasSizeLessThan(10_000);
            }
            Set<String> finished = new HashSet<>();
            fleet.events(events -> isFinished(events, "last")).stream()
                    .filter(Finished.class::isInstance)
                    .forEach(event -> finished.add(event.job()));
            assertThat(worker.claims.ended()).as("the worker lives").isNotDone();
            assertThat(dead).as("seed " + seed).hasSizeBetween(count / 4, count - count / 20);
            CommandFuzz fuzz = new CommandFuzz(seed);
            for (int i = 0; i < count; i++) {
                byte[] body = fuzz.next("", i).value();
                if (!dead.contains(i)) {
                    assertThat(body)
                            .as("seed %d, command %d has no body", seed, i)
                            .isNotNull();
                    assertThat(finished)
                            .as("seed %d, command %d", seed, i)
                            .contains(JobJson.read(body).id());
                }
            }
        }
    }

    private static boolean hasEnd(List<ConsumerRecord<byte[], byte[]>> letters) {
        return letters.stream().anyMatch(letter -> Arrays.equals("end".getBytes(StandardCharsets.UTF_8), letter.key()));
    }

    private static boolean isFinished(List<TrainingEvent> events, String job) {
        return events.stream()
                .anyMatch(event -> event instanceof Finished && event.job().equals(job));
    }

    private static void publish(Fleet fleet, long seed, int count) throws Exception {
        CommandFuzz fuzz = new CommandFuzz(seed);
        List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            records.add(fuzz.next(Topic.COMMANDS_NORMAL.name(fleet.prefix), i));
        }
        publish(fleet, records);
    }

    private static void publish(Fleet fleet, List<ProducerRecord<byte[], byte[]>> records) throws Exception {
        try (var producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        fleet.kafka,
                        "max.in.flight.requests.per.connection",
                        1,
                        "max.request.size",
                        2 << 20),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            List<Future<?>> sent = new ArrayList<>();
            records.forEach(record -> sent.add(producer.send(record)));
            for (var one : sent) {
                var _ = Patience.get(one);
            }
        }
    }

    /// The dead letter fits its topic although the command would not.
    @Test
    void aCommandWithALargeKeyAndTraceIsDeadLettered() throws Exception {
        byte[] large = new byte[1_500_000];
        new Random(1).nextBytes(large);
        byte[] body = Fleet.job("job").getBytes(StandardCharsets.UTF_8);
        List<ConsumerRecord<byte[], byte[]>> letters;
        try (Fleet fleet = new Fleet()) {
            String commands = Topic.COMMANDS_NORMAL.name(fleet.prefix);
            ProducerRecord<byte[], byte[]> traced = new ProducerRecord<>(commands, null, body);
            traced.headers().add("traceparent", large);
            publish(fleet, List.of(new ProducerRecord<>(commands, large, body), traced));
            var _ = fleet.start("w", fleet.runner("w"));
            fleet.submit("good");
            fleet.eventsUntilFinished(1);
            letters = fleet.read(Topic.DEAD_LETTER, read -> read.size() >= 2);
        }
        assertThat(letters)
                .extracting(letter -> Fleet.header(letter, DeadLetter.REASON))
                .containsExactly(
                        "the command's key has 1500000 bytes; allowed is up to 1024; use the job's id as key",
                        "the command's headers have 1500011 bytes; allowed is up to 65536; a command needs none");
        assertThat(letters.getFirst().key()).hasSize(CommandLimits.MAX_KEY_BYTES);
        assertThat(letters.getLast().headers().lastHeader("traceparent")).isNull();
        assertThat(letters).allSatisfy(letter -> assertThat(letter.value()).isEqualTo(body));
    }
}
