package io.trainyard.worker;

import io.trainyard.event.EventJson;
import io.trainyard.event.WorkerStatus;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/// Detects other workers with this worker's id by their heartbeats. It compares no clocks: a worker whose old
/// heartbeats are followed by new ones is alive; one without a new heartbeat within [#BEATS] intervals was
/// killed.
final class WorkerIdGuard {
    /// The number of intervals to wait after an old heartbeat of the same id. A worker that stopped in good
    /// order has published that, and causes no wait.
    static final int BEATS = 3;

    /// The number of newest heartbeats that are read in each partition: minutes of a fleet of a hundred
    /// workers.
    private static final int LOOK_BACK = 10_000;

    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(60);

    private static final Duration POLL = Duration.ofMillis(100);

    private static final int FETCH_MILLIS = 20;

    private final Brokers kafka;
    private final String topic;
    private final String id;

    WorkerIdGuard(Brokers kafka, String prefix, String id) {
        this.kafka = kafka;
        this.topic = Topic.WORKERS.name(prefix);
        this.id = id;
    }

    /// If two workers start at the same time, the second one sees the first one's heartbeat; both may see each
    /// other's.
    ///
    /// @param announce sends this worker's first heartbeat; it sends no other one meanwhile
    /// @throws WorkerIdTakenException if another worker has the id
    /// @throws KafkaUnreachableException if the brokers do not answer
    void requireNone(Supplier<CompletableFuture<Void>> announce, Duration beat) {
        try (var consumer = kafka.consumer(Map.of(
                ConsumerConfig.CLIENT_ID_CONFIG,
                id + "-" + topic,
                ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, // closing waits for the last answer
                FETCH_MILLIS))) {
            List<TopicPartition> partitions = TopicAdmin.partitions(consumer, kafka, topic, ANSWER_TIMEOUT);
            consumer.assign(partitions);
            Map<TopicPartition, Long> before = consumer.endOffsets(partitions, ANSWER_TIMEOUT);
            consumer.beginningOffsets(partitions, ANSWER_TIMEOUT)
                    .forEach((partition, begin) ->
                            consumer.seek(partition, Math.max(begin, offset(before, partition) - LOOK_BACK)));
            TopicAdmin.await(kafka, announce.get(), ANSWER_TIMEOUT);
            Heartbeats heartbeats = new Heartbeats(before);
            readTo(consumer.endOffsets(partitions, ANSWER_TIMEOUT), consumer, heartbeats);
            heartbeats.requireAlone();
            long listenNanos = System.nanoTime() + beat.multipliedBy(BEATS).toNanos();
            while (heartbeats.mayLive && System.nanoTime() < listenNanos) {
                consumer.poll(POLL).forEach(heartbeats::take);
                heartbeats.requireAlone();
            }
        } catch (KafkaException e) {
            throw new KafkaUnreachableException(kafka, e);
        }
    }

    private static long offset(Map<TopicPartition, Long> offsets, TopicPartition partition) {
        return Objects.requireNonNull(offsets.get(partition), partition.topic());
    }

    private void readTo(Map<TopicPartition, Long> ends, KafkaConsumer<String, byte[]> consumer, Heartbeats heartbeats) {
        Predicate<TopicPartition> isBehind = partition -> consumer.position(partition) < offset(ends, partition);
        long endNanos = System.nanoTime() + ANSWER_TIMEOUT.toNanos();
        while (ends.keySet().stream().anyMatch(isBehind)) {
            if (System.nanoTime() > endNanos) {
                throw new KafkaUnreachableException(
                        kafka, new TimeoutException(topic + " cannot be read to its end in time"));
            }
            consumer.poll(POLL).forEach(heartbeats::take);
        }
    }

    private final class Heartbeats {
        private final Map<TopicPartition, Long> before;
        private boolean mayLive; // an earlier worker did not publish that it stopped
        private int since; // with this worker's own

        Heartbeats(Map<TopicPartition, Long> before) {
            this.before = before;
        }

        void take(ConsumerRecord<String, byte[]> beat) {
            if (!id.equals(beat.key()) || beat.value() == null) {
                return;
            }
            boolean stopping;
            try {
                WorkerStatus status = EventJson.readStatus(beat.value());
                stopping = status.stopping();
            } catch (IOException _) { // anyone may write to the topic
                return;
            }
            if (stopping) {
                mayLive = false;
            } else if (beat.offset() < offset(before, new TopicPartition(beat.topic(), beat.partition()))) {
                mayLive = true;
            } else {
                since++;
            }
        }

        void requireAlone() {
            if (since > 1) {
                throw new WorkerIdTakenException(id);
            }
        }
    }
}
