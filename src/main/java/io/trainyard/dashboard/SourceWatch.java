package io.trainyard.dashboard;

import io.trainyard.topics.Brokers;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.tracking.Partition;
import io.trainyard.tracking.TrackingException;
import io.trainyard.tracking.TrackingStore;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/// Compares the ends of the topics with the offsets in the store, and checks that the brokers and the store are
/// available. Not thread-safe.
@Singleton
class SourceWatch implements AutoCloseable {
    /// Timeout for responses of the brokers.
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    /// A store that is behind for at most this time counts as up to date.
    private static final long AT_ONCE_MILLIS = 2000;

    private final TrackingStore store;
    private final TopicConsumer consumer;
    private final SourceStatus sources;
    private final Brokers kafka;
    private @Nullable Admin admin;
    private long caughtUpNanos = System.nanoTime();
    private final InitialRead catchUp = new InitialRead();

    private boolean storeAway;

    SourceWatch(TrackingStore store, TopicConsumer consumer, SourceStatus sources, Brokers kafka) {
        this.store = store;
        this.consumer = consumer;
        this.sources = sources;
        this.kafka = kafka;
    }

    void look() {
        lookAtBrokers();
        lookAtStore();
    }

    private void lookAtBrokers() {
        try {
            if (admin == null) {
                admin = kafka.admin(TIMEOUT);
            }
            compare(TopicAdmin.ends(admin, kafka, consumer.trackedTopics(), TIMEOUT));
            sources.kafka(true);
        } catch (KafkaUnreachableException _) {
            sources.kafka(false);
        }
    }

    /// Without new records, only this check detects an unavailable store. A readable store may still refuse
    /// writes, so this check does not reset a failure that the reader thread reported.
    private void lookAtStore() {
        try {
            store.requireThere();
            if (storeAway) {
                sources.store(true);
            }
            storeAway = false;
        } catch (TrackingException _) {
            storeAway = true;
            sources.store(false);
        }
    }

    private void compare(Map<TopicPartition, Long> ends) {
        Map<Partition, Long> known = store.offsets();
        long now = System.nanoTime();
        long behind = ends.entrySet().stream()
                .mapToLong(end -> Math.max(0, end.getValue() - known.getOrDefault(consumer.tracked(end.getKey()), 0L)))
                .sum();
        if (behind == 0) {
            caughtUpNanos = now;
        }
        if (!sources.isCaughtUp() && catchUp.see(ends, end -> known.getOrDefault(consumer.tracked(end), 0L))) {
            sources.caughtUp();
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
