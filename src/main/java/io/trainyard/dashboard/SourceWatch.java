package io.trainyard.dashboard;

import io.smallrye.common.annotation.Identifier;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.tracking.Partition;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/// Asks the brokers how long the topics are: so it is known whether they are there, and whether the store is behind.
/// Not
/// thread-safe.
@Singleton
class SourceWatch implements AutoCloseable {
    /// For the brokers to answer.
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    /// So long the store may be behind as a matter of course.
    private static final long AT_ONCE_MILLIS = 2000;

    private final JobHistory history;
    private final TopicConsumer consumer;
    private final Sources sources;
    private final String kafka;
    private @Nullable Admin admin;
    private long caughtUpNanos = System.nanoTime();

    SourceWatch(
            JobHistory history,
            @Identifier("tracking") TopicConsumer consumer,
            Sources sources,
            @ConfigProperty(name = "trainyard.kafka") String kafka) {
        this.history = history;
        this.consumer = consumer;
        this.sources = sources;
        this.kafka = kafka;
    }

    void look() {
        try {
            if (admin == null) {
                admin = TopicAdmin.open(kafka, TIMEOUT);
            }
            compare(TopicAdmin.ends(admin, kafka, consumer.trackedTopics(), TIMEOUT));
            sources.kafka(true);
        } catch (KafkaUnreachableException _) {
            sources.kafka(false);
        }
    }

    private void compare(Map<TopicPartition, Long> ends) {
        Map<Partition, Long> known = history.offsets();
        long now = System.nanoTime();
        long behind = ends.entrySet().stream()
                .mapToLong(end -> Math.max(0, end.getValue() - known.getOrDefault(consumer.tracked(end.getKey()), 0L)))
                .sum();
        if (behind == 0) {
            caughtUpNanos = now;
        }
        sources.behindRecords(behind);
        long behindMillis = (now - caughtUpNanos) / 1_000_000;
        sources.behind(behindMillis < AT_ONCE_MILLIS ? 0 : behindMillis);
    }

    @Override
    public void close() {
        if (admin != null) {
            admin.close(Duration.ZERO);
        }
    }
}
