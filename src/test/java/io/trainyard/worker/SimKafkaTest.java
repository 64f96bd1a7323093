package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.ownership.ClaimPriorities;
import io.trainyard.topics.Topic;
import io.trainyard.worker.SimKafka.Weather;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SimKafkaTest {
    private static final Duration LOCK = Duration.ofSeconds(15);
    private static final String COMMANDS = Topic.COMMANDS_NORMAL.name("");
    private static final String HIGH_PRIORITY = Topic.COMMANDS_HIGH.name("");

    private final SimWorld world = new SimWorld(1);
    private final SimKafka kafka = new SimKafka(world, "", new SimShareGroup.Limits(LOCK, 3, 5));
    private final List<String> received = new ArrayList<>();

    private void publish(String topic, String... values) {
        for (String value : values) {
            kafka.publish(new ProducerRecord<>(topic, bytes(value), bytes(value)));
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(ConsumerRecord<?, byte[]> record) {
        return new String(record.value(), StandardCharsets.UTF_8)
                + record.deliveryCount().map(count -> " #" + count).orElse("");
    }

    private SimQueue queue(SimProcess process) {
        return new SimQueue(kafka, process, List.of(List.of(HIGH_PRIORITY), List.of(COMMANDS)), new ClaimPriorities());
    }

    private String take(SimQueue queue) {
        while (true) {
            Optional<ConsumerRecord<byte[], byte[]>> next = queue.next();
            if (next.isPresent()) {
                return text(next.get());
            }
        }
    }

    @Test
    void aCommandIsDroppedAfterItsLastDelivery() {
        publish(COMMANDS, "a");
        for (int i = 1; i <= 4; i++) {
            SimProcess process = world.process("w" + i);
            process.start("claims", () -> {
                received.add(take(queue(process)));
                process.crash();
            });
            world.run(Duration.ofMinutes(1));
        }
        assertThat(received).containsExactly("a #1", "a #2", "a #3");
        assertThat(kafka.group(COMMANDS).lag()).isZero();
    }

    @Test
    void aRestartedBrokerDropsLocksAndDeliveries() {
        publish(COMMANDS, "a");
        SimProcess process = world.process("w");
        process.start("claims", () -> {
            SimQueue queue = queue(process);
            received.add(take(queue));
            process.sleep(Duration.ofSeconds(5));
            received.add("accept " + queue.accept());
            received.add(take(queue));
        });
        world.runUntil(() -> !received.isEmpty(), LOCK);
        kafka.restart(Duration.ofSeconds(2));
        world.run(Duration.ofMinutes(1));
        assertThat(received).containsExactly("a #1", "accept false", "a #1");
    }

    /// Each record is appended once and in order, even if requests or answers are lost.
    @Test
    void anOutboxNeitherDuplicatesNorReorders() {
        for (int seed = 0; seed < 200; seed++) {
            SimWorld bad = new SimWorld(seed);
            SimKafka broker = new SimKafka(bad, "");
            broker.weather(new Weather(Duration.ofMillis(300), 0.4, 0));
            SimProcess process = bad.process("p");
            SimOutbox outbox = new SimOutbox(broker, process);
            List<CompletableFuture<Void>> sent = new ArrayList<>();
            process.start("sends", () -> {
                for (int i = 0; i < 30; i++) {
                    sent.add(outbox.send("t", null, bytes("" + i), new RecordHeaders()));
                    process.sleep(process.upTo(Duration.ofMillis(200)));
                }
            });
            SimTimer _ = bad.after(Duration.ofSeconds(2), () -> broker.restart(Duration.ofSeconds(40)));
            assertThat(bad.runUntil(
                            () -> sent.size() == 30 && sent.stream().allMatch(CompletableFuture::isDone),
                            Duration.ofHours(1)))
                    .isTrue();
            List<SimTopic.Entry> entries = broker.topic("t").from(0, 100);
            assertThat(entries).hasSize(30);
            for (int i = 0; i < 30; i++) {
                assertThat(Objects.requireNonNull(entries.get(i).value()))
                        .asString()
                        .isEqualTo("" + i);
            }
        }
    }

    @Test
    void compactionRetainsTheNewestRecordsAndRecentTombstones() {
        SimTopic ownership = kafka.topic(Topic.OWNERSHIP);
        put("a", "1");
        put("b", "1");
        put("a", "2");
        put("b", null);
        ownership.compact(ownership.end() - 1);
        assertThat(contents(ownership)).containsExactly("b=1", "a=2", "b=null");
        kafka.compactAll();
        assertThat(contents(ownership)).containsExactly("a=2", "b=null");
        world.run(Duration.ofMinutes(5));
        kafka.compactAll();
        assertThat(contents(ownership)).containsExactly("a=2");
        assertThat(ownership.end()).isEqualTo(4);
    }

    private void put(String key, @Nullable String value) {
        kafka.publish(new ProducerRecord<>(
                Topic.OWNERSHIP.name(""), bytes(key), value == null ? null : value.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<String> contents(SimTopic topic) {
        return topic.from(0, 100).stream()
                .map(entry -> entry.key() + "="
                        + (entry.value() == null ? null : new String(entry.value(), StandardCharsets.UTF_8)))
                .toList();
    }
}
