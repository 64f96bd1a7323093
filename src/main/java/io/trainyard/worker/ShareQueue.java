package io.trainyard.worker;

import io.trainyard.ownership.ClaimPriorities;
import io.trainyard.topics.Brokers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;
import org.jspecify.annotations.Nullable;

/// The commands of Kafka's share groups.
///
/// Each topic has its own share group, for two reasons. Kafka's assignor gives each partition of a group to as
/// few members as possible, so in one group over three topics a topic would depend on a single worker. And
/// topics that are polled in sequence have an order: the highest priority first.
///
/// A worker that runs a job stays a member of all groups because joining takes seconds. It releases commands
/// that are prefetched meanwhile ([#prefetched]).
final class ShareQueue implements CommandQueue {
    /// The time limit of an acceptance: well within the lock.
    private static final Duration ACCEPT_TIMEOUT = Duration.ofSeconds(5);

    static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    /// How long the broker waits before it answers that there is nothing. A command that arrives meanwhile is
    /// delivered at once.
    private static final int ANSWER_MILLIS = 50;

    /// The pause after an empty poll. A command waits for half of it on average if a worker is idle.
    private static final Duration IDLE_POLL = Duration.ofMillis(10);

    private static final Duration ANSWER_TIMEOUT = Duration.ofMillis(500);

    /// A new worker ignores lower priorities for so long while it joins the group of a higher one. Kafka lets a
    /// member join at its second heartbeat, by default after 5 s.
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(10);

    /// The longest time without answers for a topic. An answer takes 50 ms, joining a group takes seconds.
    private static final Duration SILENCE = Duration.ofSeconds(60);

    private static final Duration LOOK = Duration.ofSeconds(5);

    private final Brokers kafka;
    private final String worker;
    private final ClaimPriorities order;
    private final List<List<Source>> sources; // those of equal priority change their order
    private final Map<Source, KafkaShareConsumer<byte[], byte[]>> consumers = new HashMap<>();

    /// Consumers whose last poll was empty: they go on fetching in the background.
    private final Set<KafkaShareConsumer<byte[], byte[]>> asking = new LinkedHashSet<>();

    /// The number of answered fetches of each topic, and since when it has not grown.
    private final Map<Source, Answers> answers = new HashMap<>();

    private final long joinedNanos = System.nanoTime() + JOIN_TIMEOUT.toNanos();
    private @Nullable Held held;

    private record Answers(double count, long sinceNanos, long lookedNanos) {}

    record Source(String topic, String group) {}

    private record Held(KafkaShareConsumer<byte[], byte[]> by, ConsumerRecord<byte[], byte[]> command) {}

    /// Starts to join all groups at the same time.
    ///
    /// @param sources the highest priority first; those of equal priority share a list
    /// @param order in which they are polled
    ShareQueue(Brokers kafka, String worker, List<List<Source>> sources, ClaimPriorities order) {
        this.order = order;
        this.kafka = kafka;
        this.worker = worker;
        this.sources = sources.stream().<List<Source>>map(ArrayList::new).toList();
        this.sources.forEach(equals -> equals.forEach(source -> consumers.put(source, join(source))));
    }

    private KafkaShareConsumer<byte[], byte[]> join(Source source) {
        KafkaShareConsumer<byte[], byte[]> consumer = kafka.shareConsumer(Map.of(
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
                ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG,
                Integer.MAX_VALUE, // a job may take days
                ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                ANSWER_MILLIS));
        consumer.subscribe(List.of(source.topic()));
        var _ = consumer.poll(Duration.ZERO);
        asking.add(consumer);
        return consumer;
    }

    /// Polls each topic and holds the first command. After an empty poll the client goes on fetching in the
    /// background, so a later poll returns at once.
    @Override
    public Optional<ConsumerRecord<byte[], byte[]>> next() {
        for (List<Source> equals : order.of(sources)) {
            for (Source source : equals) {
                KafkaShareConsumer<byte[], byte[]> consumer = Objects.requireNonNull(consumers.get(source));
                ConsumerRecords<byte[], byte[]> records =
                        asking.contains(consumer) ? consumer.poll(Duration.ZERO) : ask(consumer);
                if (!records.isEmpty()) {
                    putLast(source, equals);
                    return Optional.of(hold(consumer, records));
                }
                asking.add(consumer);
                requireAnswers(source, consumer);
                if (answers(consumer) == 0 && System.nanoTime() < joinedNanos) {
                    return idlePoll(consumer);
                }
            }
        }
        return idlePoll(Objects.requireNonNull(consumers.get(sources.getFirst().getFirst())));
    }

    /// The brokers never answer a member beyond their limit of share sessions, and the client does not report
    /// it. Called after each empty poll.
    private void requireAnswers(Source source, KafkaShareConsumer<byte[], byte[]> consumer) {
        long now = System.nanoTime();
        Answers known = answers.get(source);
        if (known != null && now - known.lookedNanos() < LOOK.toNanos()) {
            return;
        }
        boolean isAskedOften = known != null && now - known.lookedNanos() < 2 * LOOK.toNanos();
        double count = answers(consumer);
        long since = known == null || !isAskedOften || known.count() != count ? now : known.sinceNanos();
        answers.put(source, new Answers(count, since, now));
        if (now - since > SILENCE.toNanos()) {
            throw new KafkaException(
                    "no request for commands of %s was answered for %d s: the broker may have as many share sessions (group.share.max.share.sessions) or members of the group %s (group.share.max.size) as it allows"
                            .formatted(source.topic(), SILENCE.toSeconds(), source.group()));
        }
    }

    private Optional<ConsumerRecord<byte[], byte[]>> idlePoll(KafkaShareConsumer<byte[], byte[]> consumer) {
        ConsumerRecords<byte[], byte[]> records = consumer.poll(IDLE_POLL);
        return records.isEmpty() ? Optional.empty() : Optional.of(hold(consumer, records));
    }

    private ConsumerRecord<byte[], byte[]> hold(
            KafkaShareConsumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records) {
        ConsumerRecord<byte[], byte[]> command = only(records);
        held = new Held(consumer, command);
        asking.remove(consumer);
        return command;
    }

    @Override
    public Optional<ConsumerRecord<byte[], byte[]>> prefetched() {
        for (KafkaShareConsumer<byte[], byte[]> consumer : asking) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ZERO);
            if (!records.isEmpty()) {
                return Optional.of(hold(consumer, records));
            }
        }
        return Optional.empty();
    }

    /// Waits for the broker's answer, so that a slow broker does not cause a topic to be skipped. A consumer
    /// that never got an answer has no partition yet.
    private ConsumerRecords<byte[], byte[]> ask(KafkaShareConsumer<byte[], byte[]> consumer) {
        long beginNanos = System.nanoTime();
        double before = answers(consumer);
        ConsumerRecords<byte[], byte[]> records;
        do {
            records = consumer.poll(Duration.ofMillis(ANSWER_MILLIS));
        } while (records.isEmpty()
                && before > 0
                && answers(consumer) == before
                && System.nanoTime() - beginNanos < ANSWER_TIMEOUT.toNanos());
        return records;
    }

    /// The number of fetches that the broker has answered; the client reports it only as a metric.
    private static double answers(KafkaShareConsumer<byte[], byte[]> consumer) {
        return consumer.metrics().entrySet().stream()
                .filter(metric -> metric.getKey().name().equals("fetch-total"))
                .mapToDouble(metric -> (double) metric.getValue().metricValue())
                .sum();
    }

    /// A topic that is never empty must not starve others of the same priority.
    private static void putLast(Source source, List<Source> equals) {
        equals.remove(source);
        equals.add(source);
    }

    private static ConsumerRecord<byte[], byte[]> only(ConsumerRecords<byte[], byte[]> records) {
        if (records.count() != 1) {
            throw new KafkaException("%d commands were delivered instead of one".formatted(records.count()));
        }
        return records.iterator().next();
    }

    @Override
    public boolean accept() {
        Held now = Objects.requireNonNull(held, "no command is held");
        held = null;
        try {
            now.by().acknowledge(now.command(), AcknowledgeType.ACCEPT);
        } catch (IllegalStateException _) { // the client has noticed that the lock expired
            return false;
        }
        KillPoint.ACCEPTING.reach();
        return isSuccess(now.by().commitSync(ACCEPT_TIMEOUT));
    }

    /// After a renewal the client delivers the same record again.
    @Override
    public boolean renew() {
        Held now = Objects.requireNonNull(held, "no command is held");
        try {
            now.by().acknowledge(now.command(), AcknowledgeType.RENEW);
        } catch (IllegalStateException _) { // the client has noticed that the lock expired
            return false;
        }
        if (!isSuccess(now.by().commitSync(ACCEPT_TIMEOUT))) {
            return false;
        }
        ConsumerRecords<byte[], byte[]> again = now.by().poll(ACCEPT_TIMEOUT);
        if (again.count() != 1
                || again.iterator().next().offset() != now.command().offset()) {
            return false;
        }
        held = new Held(now.by(), again.iterator().next());
        return true;
    }

    @Override
    public int deliveries() {
        return held == null ? 0 : held.command().deliveryCount().orElse((short) 1);
    }

    private static boolean isSuccess(Map<TopicIdPartition, Optional<KafkaException>> answer) {
        return !answer.isEmpty() && answer.values().stream().allMatch(Optional::isEmpty);
    }

    /// Leaves the groups; the current command is released at once.
    @Override
    public void close() {
        long endNanos = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
        consumers
                .values()
                .forEach(consumer -> consumer.close(Duration.ofNanos(Math.max(0, endNanos - System.nanoTime()))));
    }
}
