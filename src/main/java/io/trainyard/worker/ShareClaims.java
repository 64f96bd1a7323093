package io.trainyard.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/// A member of the share groups that holds one command at a time. Used by one thread. After a [ClaimLostException] or a
/// [KafkaException] it is good for nothing but [#close].
///
/// Each topic has a share group of its own, for two reasons. Kafka's assignor gives each partition of a group to as few
/// members as will do, so that in one group over three topics a topic would wait for the one worker that has it. And
/// topics that are asked one after the other have an order: the most urgent first.
final class ShareClaims implements AutoCloseable {
    /// How long the brokers may take for one step of keeping or ending a claim, where its lock is shorter than three
    /// times that.
    private static final Duration MIN_STEP_TIMEOUT = Duration.ofSeconds(5);

    /// The bound on leaving all groups.
    static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    /// How long it takes to ask all topics, one after the other, when none has a command: on average twice as long as
    /// a command waits for an idle worker.
    private static final int ROUND_MILLIS = 200;

    /// How much less the broker may think about an answer than it is waited for, so that it is there in time.
    private static final int ANSWER_MILLIS = 10;

    /// How long a topic is waited for whose broker does not answer.
    private static final Duration ANSWER_TIMEOUT = Duration.ofMillis(500);

    /// How long a new worker looks at nothing less urgent than a topic whose group it has not joined yet. Kafka lets a
    /// member join at its second heartbeat, by default after 5 s.
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(10);

    /// Kafka's own default; asked of the broker as soon as a command is held.
    private static final int UNKNOWN_LOCK_MILLIS = 30_000;

    private final String kafka;
    private final String worker;
    private final List<List<Source>> sources; // those of one urgency change their order
    private final int pollMillis;
    private final Map<Source, KafkaShareConsumer<byte[], byte[]>> consumers = new HashMap<>();
    private final long joinedNanos = System.nanoTime() + JOIN_TIMEOUT.toNanos();
    private @Nullable Held held;

    /// A topic and its share group.
    record Source(String topic, String group) {}

    private record Held(KafkaShareConsumer<byte[], byte[]> by, ConsumerRecord<byte[], byte[]> command) {}

    /// @param kafka `host:port`
    /// @param sources the most urgent first; those in one list are as urgent as one another
    ShareClaims(String kafka, String worker, List<List<Source>> sources) {
        this.kafka = kafka;
        this.worker = worker;
        this.sources = sources.stream().<List<Source>>map(ArrayList::new).toList();
        int count = sources.stream().mapToInt(List::size).sum();
        this.pollMillis = Math.max(ROUND_MILLIS / count, ANSWER_MILLIS + 1);
    }

    private KafkaShareConsumer<byte[], byte[]> join(Source source) {
        KafkaShareConsumer<byte[], byte[]> consumer = new KafkaShareConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        kafka,
                        ConsumerConfig.GROUP_ID_CONFIG,
                        source.group(),
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        worker + "-" + source.topic(),
                        ConsumerConfig.SHARE_ACKNOWLEDGEMENT_MODE_CONFIG,
                        "explicit",
                        ConsumerConfig.SHARE_ACQUIRE_MODE_CONFIG,
                        "record_limit", // the default may hold more
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                        1,
                        ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                        pollMillis - ANSWER_MILLIS),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.subscribe(List.of(source.topic()));
        var _ = consumer.poll(Duration.ZERO); // begins to join, so that all groups are joined at the same time
        return consumer;
    }

    /// Asks each topic for a command, for a short time, and holds the first that comes.
    Optional<ConsumerRecord<byte[], byte[]>> next() throws ClaimLostException {
        sources.forEach(equals -> equals.forEach(source -> consumers.computeIfAbsent(source, this::join)));
        for (List<Source> equals : sources) {
            for (Source source : equals) {
                KafkaShareConsumer<byte[], byte[]> consumer = Objects.requireNonNull(consumers.get(source));
                ConsumerRecords<byte[], byte[]> records = ask(consumer);
                if (!records.isEmpty()) {
                    ConsumerRecord<byte[], byte[]> command = only(records);
                    held = new Held(consumer, command);
                    putLast(source, equals);
                    return Optional.of(command);
                }
                if (answers(consumer) == 0 && System.nanoTime() < joinedNanos) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    /// Waits for the broker's answer, so that no topic is passed over because the broker is slow. A consumer that was
    /// never answered has no partition yet.
    private ConsumerRecords<byte[], byte[]> ask(KafkaShareConsumer<byte[], byte[]> consumer) {
        long beginNanos = System.nanoTime();
        double before = answers(consumer);
        ConsumerRecords<byte[], byte[]> records;
        do {
            records = consumer.poll(Duration.ofMillis(pollMillis));
        } while (records.isEmpty()
                && before > 0
                && answers(consumer) == before
                && System.nanoTime() - beginNanos < ANSWER_TIMEOUT.toNanos());
        return records;
    }

    /// How many fetches the broker has answered. The client tells it nowhere else.
    private static double answers(KafkaShareConsumer<byte[], byte[]> consumer) {
        return consumer.metrics().entrySet().stream()
                .filter(metric -> metric.getKey().name().equals("fetch-total"))
                .mapToDouble(metric -> (double) metric.getValue().metricValue())
                .sum();
    }

    /// A topic that is never empty must not starve its equals.
    private static void putLast(Source source, List<Source> equals) {
        equals.remove(source);
        equals.add(source);
    }

    private static ConsumerRecord<byte[], byte[]> only(ConsumerRecords<byte[], byte[]> records)
            throws ClaimLostException {
        if (records.count() != 1) {
            throw new ClaimLostException("%d commands came where one was expected".formatted(records.count()), null);
        }
        return records.iterator().next();
    }

    /// Time between renewals: a third of the lock, so that one may fail.
    Duration renewEvery() {
        return Duration.ofMillis(requireHeld().by().acquisitionLockTimeoutMs().orElse(UNKNOWN_LOCK_MILLIS) / 3);
    }

    /// A third of the lock: a renewal that begins after the first is answered before the second has passed, and nothing
    /// is given up that is still held.
    private Duration stepTimeout() {
        Duration third = renewEvery();
        return third.compareTo(MIN_STEP_TIMEOUT) > 0 ? third : MIN_STEP_TIMEOUT;
    }

    /// Renews the lock on the held command. The broker presents a renewed record again, at once; only then may the
    /// next acknowledgement come.
    void renew() throws ClaimLostException {
        Held before = requireHeld();
        leaveOthers(before.by());
        acknowledge(AcknowledgeType.RENEW);
        ConsumerRecords<byte[], byte[]> again = before.by().poll(stepTimeout());
        if (again.isEmpty()) {
            throw new ClaimLostException("the renewed command was not presented again", null);
        }
        ConsumerRecord<byte[], byte[]> after = only(again);
        if (after.offset() != before.command().offset()
                || after.partition() != before.command().partition()) {
            throw new ClaimLostException("another command was presented than the renewed one", null);
        }
        held = new Held(before.by(), after);
    }

    /// The other topics' consumers may have been handed a command just after they were asked. It must not lie with a
    /// worker that is busy for long: leaving gives it back.
    @SuppressWarnings("ReferenceEquality") // this consumer, not one like it
    private void leaveOthers(KafkaShareConsumer<byte[], byte[]> one) {
        leave(consumer -> consumer != one);
    }

    private void leave(Predicate<KafkaShareConsumer<byte[], byte[]>> which) {
        long endNanos = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
        consumers.values().removeIf(consumer -> {
            if (which.test(consumer)) {
                consumer.close(Duration.ofNanos(Math.max(0, endNanos - System.nanoTime())));
                return true;
            }
            return false;
        });
    }

    /// Ends the claim on the held command with ACCEPT, or gives it back with RELEASE.
    void settle(AcknowledgeType type) throws ClaimLostException {
        acknowledge(type);
        held = null;
    }

    private Held requireHeld() {
        Held now = held;
        if (now == null) {
            throw new IllegalStateException("no command is held");
        }
        return now;
    }

    private void acknowledge(AcknowledgeType type) throws ClaimLostException {
        Held now = requireHeld();
        try {
            now.by().acknowledge(now.command(), type);
        } catch (IllegalStateException e) { // the client has noticed already that the lock is gone
            throw new ClaimLostException("%s came too late: %s".formatted(type, e.getMessage()), e);
        }
        Map<TopicIdPartition, Optional<KafkaException>> result = now.by().commitSync(stepTimeout());
        if (result.isEmpty()) {
            throw new ClaimLostException("%s was not answered".formatted(type), null);
        }
        for (Optional<KafkaException> problem : result.values()) {
            if (problem.isPresent()) {
                throw new ClaimLostException("%s was refused: %s".formatted(type, problem.get()), problem.get());
            }
        }
    }

    /// Leaves the groups; a command still held goes back at once.
    @Override
    public void close() {
        leave(_ -> true);
    }
}
