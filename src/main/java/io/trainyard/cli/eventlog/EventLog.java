package io.trainyard.cli.eventlog;

import io.trainyard.topics.Cluster;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/// The topics as one log: their records merged by timestamp, from the beginning. At equal timestamps, losses
/// precede a job's end. Within a topic, records of a job keep their order regardless of timestamps.
///
/// Buffering is bounded: a partition with many buffered records is paused until the others have caught up. Not
/// thread-safe.
public final class EventLog implements AutoCloseable {
    /// A partition with this many buffered records is paused; one poll adds at most as many again.
    public static final int MAX_RECORDS = 1000;

    private static final int MAX_FETCHED_BYTES = 8 << 20;
    private static final Duration POLL = Duration.ofMillis(200);

    /// How often a quiet broker is asked whether it is there.
    private static final Duration STILL = Duration.ofSeconds(10);

    /// How long a broker may be away, as for a restart, while new records are waited for.
    private static final Duration AWAY = Duration.ofSeconds(60);

    private final Cluster kafka;
    private final KafkaConsumer<String, byte[]> consumer;
    private final Map<TopicPartition, PartitionBuffer> buffers = new HashMap<>();

    private EventLog(Cluster kafka, KafkaConsumer<String, byte[]> consumer) {
        this.kafka = kafka;
        this.consumer = consumer;
    }

    /// Opens the log at its beginning. Topics that do not exist have no records.
    ///
    /// @throws KafkaUnreachableException if the brokers do not answer
    public static EventLog open(Cluster kafka, Collection<Topic> topics) {
        return open(kafka, topics, List.of(), Duration.ZERO);
    }

    /// Like [#open], with only the recent records of some more topics, which are skipped if this process may
    /// not read them.
    ///
    /// @param lately maximum age by this process's clock
    public static EventLog open(Cluster kafka, Collection<Topic> topics, Collection<Topic> recent, Duration lately) {
        return kafka.reach(() -> {
            EventLog log = new EventLog(kafka, kafka.brokers().consumer(settings(kafka)));
            try {
                log.assign(topics, recent);
                log.skipUntil(recent, System.currentTimeMillis() - lately.toMillis());
                return log;
            } catch (RuntimeException e) {
                log.close();
                throw e;
            }
        });
    }

    private static Map<String, Object> settings(Cluster kafka) {
        return Map.of(
                ConsumerConfig.CLIENT_ID_CONFIG,
                "trainyard-cli",
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                MAX_RECORDS,
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                MAX_FETCHED_BYTES,
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                Math.toIntExact(kafka.timeout().toMillis()));
    }

    private void assign(Collection<Topic> needed, Collection<Topic> others) {
        Map<String, List<PartitionInfo>> present = consumer.listTopics(kafka.timeout());
        for (Topic topic : needed) {
            String name = topic.name(kafka.prefix());
            // One that may not be read looks as if it were not there, until it is asked for by its name.
            var partitions =
                    present.containsKey(name) ? present.get(name) : consumer.partitionsFor(name, kafka.timeout());
            buffer(topic, partitions == null ? List.of() : partitions);
        }
        others.forEach(topic -> buffer(topic, present.getOrDefault(topic.name(kafka.prefix()), List.of())));
        consumer.assign(buffers.keySet());
        consumer.beginningOffsets(buffers.keySet(), kafka.timeout()).forEach(consumer::seek);
    }

    private void buffer(Topic topic, List<PartitionInfo> partitions) {
        partitions.forEach(partition ->
                buffers.put(new TopicPartition(partition.topic(), partition.partition()), new PartitionBuffer(topic)));
    }

    private void skipUntil(Collection<Topic> topics, long millis) {
        Map<TopicPartition, Long> times = new HashMap<>();
        buffers.forEach((partition, buffer) -> {
            if (topics.contains(buffer.topic())) {
                times.put(partition, millis);
            }
        });
        if (!times.isEmpty()) {
            Map<TopicPartition, Long> ends = consumer.endOffsets(times.keySet(), kafka.timeout());
            consumer.offsetsForTimes(times, kafka.timeout())
                    .forEach((partition, found) -> consumer.seek(
                            partition, found == null ? ends.getOrDefault(partition, 0L) : found.offset()));
        }
    }

    /// Whether a topic is there, and read.
    public boolean has(Topic topic) {
        return buffers.values().stream().anyMatch(buffer -> buffer.topic() == topic);
    }

    boolean isEmpty() {
        return buffers.isEmpty();
    }

    /// Reads up to the end as it is now.
    ///
    /// @throws KafkaUnreachableException if the brokers stop answering
    public void readToEnd(Consumer<TopicRecord> reader) {
        if (isEmpty()) {
            return;
        }
        Map<TopicPartition, Long> ends = kafka.reach(() -> consumer.endOffsets(buffers.keySet(), kafka.timeout()));
        ends.forEach((partition, offset) -> buffer(partition).holdBackFrom(offset));
        long position = -1;
        long movedNanos = System.nanoTime();
        while (!emit(ends, reader)) {
            fetch();
            long now = kafka.reach(() -> buffers.keySet().stream()
                    .mapToLong(partition -> consumer.position(partition, kafka.timeout()))
                    .sum());
            if (now != position) {
                position = now;
                movedNanos = System.nanoTime();
            } else if (System.nanoTime() - movedNanos > kafka.timeout().toNanos()) {
                throw new KafkaUnreachableException(
                        kafka.brokers(),
                        new TimeoutException(
                                "no record for " + kafka.timeout().toSeconds() + " s before the end of the topics"));
            }
        }
        buffers.values().forEach(buffer -> buffer.holdBackFrom(Long.MAX_VALUE));
    }

    /// Reads new records while `goOn` returns true; it is called several times a second.
    ///
    /// @throws KafkaUnreachableException if the brokers are unavailable for a minute
    public void follow(Consumer<TopicRecord> reader, BooleanSupplier goOn) {
        long receivedNanos = System.nanoTime();
        while (goOn.getAsBoolean()) {
            if (isEmpty()) {
                throw new IllegalStateException("there are no topics to follow");
            }
            boolean received = fetch();
            emitAll(reader);
            if (received) {
                receivedNanos = System.nanoTime();
            } else if (System.nanoTime() - receivedNanos > STILL.toNanos()) {
                kafka.reach(() -> consumer.endOffsets(buffers.keySet(), AWAY));
                receivedNanos = System.nanoTime();
            }
        }
    }

    private boolean fetch() {
        var records = kafka.reach(() -> consumer.poll(POLL));
        for (TopicPartition partition : records.partitions()) {
            buffer(partition).add(records.records(partition));
        }
        consumer.pause(partitionsWhere(true));
        consumer.resume(partitionsWhere(false));
        return !records.isEmpty();
    }

    private List<TopicPartition> partitionsWhere(boolean full) {
        return buffers.keySet().stream()
                .filter(partition -> buffer(partition).isFull() == full)
                .toList();
    }

    private PartitionBuffer buffer(TopicPartition partition) {
        PartitionBuffer buffer = buffers.get(partition);
        if (buffer == null) {
            throw new IllegalStateException("a record of " + partition + ", which was not requested");
        }
        return buffer;
    }

    /// Passes on the records that are next for certain.
    ///
    /// @return true when everything before `ends` is passed on
    private boolean emit(Map<TopicPartition, Long> ends, Consumer<TopicRecord> reader) {
        while (true) {
            PartitionBuffer first = null;
            for (Map.Entry<TopicPartition, PartitionBuffer> entry : buffers.entrySet()) {
                long end = ends.getOrDefault(entry.getKey(), 0L);
                PartitionBuffer buffer = entry.getValue();
                if (buffer.isEmpty() && kafka.reach(() -> consumer.position(entry.getKey(), kafka.timeout())) < end) {
                    return false; // an earlier record may still come from here
                }
                if (!buffer.isEmpty() && (first == null || PartitionBuffer.ORDER.compare(buffer, first) < 0)) {
                    first = buffer;
                }
            }
            if (first == null) {
                return true;
            }
            first.pass(reader);
        }
    }

    private void emitAll(Consumer<TopicRecord> reader) {
        while (true) {
            var first = buffers.values().stream()
                    .filter(buffer -> !buffer.isEmpty())
                    .min(PartitionBuffer.ORDER);
            if (first.isEmpty()) {
                return;
            }
            first.get().pass(reader);
        }
    }

    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
    }
}
