package io.trainyard.dashboard;

import io.smallrye.common.annotation.Identifier;
import io.smallrye.reactive.messaging.annotations.Blocking;
import io.smallrye.reactive.messaging.kafka.KafkaConsumerRebalanceListener;
import io.trainyard.event.Control;
import io.trainyard.event.EventJson;
import io.trainyard.event.JobNews;
import io.trainyard.event.WorkerStatus;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.topics.TopicRecord;
import io.trainyard.tracking.Partition;
import io.trainyard.tracking.TrackingException;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/// Reads the topics into the history, from where the tracking store says it has come to; heartbeats from the
/// beginning. A record that cannot be read is logged and skipped: anyone can write to a topic, and one bad record
/// must not blind the dashboard. While the store is away nothing more is read.
@ApplicationScoped
@Identifier("tracking")
public class TopicConsumer implements KafkaConsumerRebalanceListener {
    private static final Logger LOG = Logger.getLogger(TopicConsumer.class);
    /// Of a reason in the log; the record itself stays in its topic.
    private static final int MAX_REASON = 300;

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /// For the brokers to say which topics they have.
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final JobHistory history;
    private final Sources sources;
    private final FleetCounters counters;
    private final AlertWatch alerts;
    private final Brokers kafka;
    private final String prefix;
    private final Map<String, Topic> topics;
    private volatile Map<String, String> ids = Map.of();

    TopicConsumer(
            JobHistory history,
            Sources sources,
            FleetCounters counters,
            AlertWatch alerts,
            Brokers kafka,
            @ConfigProperty(name = "trainyard.topics.prefix") String prefix) {
        this.history = history;
        this.sources = sources;
        this.counters = counters;
        this.alerts = alerts;
        this.kafka = kafka;
        this.prefix = prefix;
        topics = Topic.byName(prefix);
    }

    @Override
    public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
        ids = TopicAdmin.ids(kafka, TIMEOUT);
        Map<Partition, Long> known = history.offsets();
        for (TopicPartition partition : partitions) {
            Long next = known.get(tracked(partition));
            if (next != null) {
                consumer.seek(partition, next);
            }
        }
    }

    /// The topics of which the store knows how far they were read.
    List<String> trackedTopics() {
        return Stream.concat(Topic.NEWS.stream(), Stream.of(Topic.CONTROL))
                .map(topic -> topic.name(prefix))
                .toList();
    }

    /// A partition as the store knows it.
    Partition tracked(TopicPartition partition) {
        return new Partition(ids.getOrDefault(partition.topic(), partition.topic()), partition.partition());
    }

    @Incoming("dashboard")
    @Blocking
    void read(ConsumerRecords<String, byte[]> records) throws InterruptedException {
        boolean failing = false;
        while (true) {
            try {
                take(records);
                sources.store(true);
                if (failing) {
                    LOG.info("the tracking store is back");
                }
                return;
            } catch (TrackingException e) {
                if (!failing) {
                    LOG.warnf("%s; tried again until it works, and nothing more is read before", firstLine(e));
                }
                failing = true;
                sources.store(false);
                Thread.sleep(PAUSE);
            }
        }
    }

    /// All in one transaction, or else, where something cannot be taken in, each record in its own.
    private void take(Iterable<ConsumerRecord<String, byte[]>> records) {
        try {
            takeTogether(records);
        } catch (TrackingException e) {
            throw e;
        } catch (RuntimeException _) {
            for (ConsumerRecord<String, byte[]> entry : records) {
                takeOrSkip(entry);
            }
        }
    }

    private void takeOrSkip(ConsumerRecord<String, byte[]> entry) {
        try {
            takeTogether(List.of(entry));
        } catch (TrackingException e) {
            throw e;
        } catch (RuntimeException e) {
            skip(entry, e);
            Partition partition = tracked(new TopicPartition(entry.topic(), entry.partition()));
            var _ = history.apply(List.of(), Map.of(partition, entry.offset() + 1));
        }
    }

    /// What the store has by now is passed over: another process may write to it.
    private void takeTogether(Iterable<ConsumerRecord<String, byte[]>> records) {
        Map<Partition, Long> known = history.offsets();
        List<JobNews> news = new ArrayList<>();
        List<Control> wishes = new ArrayList<>();
        Map<Partition, Long> next = new HashMap<>();
        int refused = 0;
        for (ConsumerRecord<String, byte[]> entry : records) {
            Topic topic = topics.get(entry.topic());
            Partition partition = tracked(new TopicPartition(entry.topic(), entry.partition()));
            if (topic == Topic.WORKERS) {
                readStatus(entry);
            } else if (topic != null && entry.offset() >= known.getOrDefault(partition, 0L)) {
                if (topic == Topic.CONTROL) {
                    readWish(entry, wishes);
                } else {
                    readNews(topic, entry, news);
                }
                refused += topic == Topic.DEAD_LETTER && entry.value() != null ? 1 : 0;
                next.put(partition, entry.offset() + 1);
            }
        }
        history.keep(wishes); // read twice, they are the same
        alerts.take(news);
        counters.taken(news, history.apply(news, next), refused);
    }

    private static void readNews(Topic topic, ConsumerRecord<String, byte[]> entry, List<JobNews> news) {
        read(entry, () -> new TopicRecord(topic, entry).news().ifPresent(news::add));
    }

    private static void readWish(ConsumerRecord<String, byte[]> entry, List<Control> wishes) {
        read(entry, () -> wishes.add(EventJson.readControl(entry.value())));
    }

    /// Kafka's time of a record is when it was sent.
    private void readStatus(ConsumerRecord<String, byte[]> entry) {
        read(entry, () -> {
            WorkerStatus status = EventJson.readStatus(entry.value());
            int failures = history.apply(status, entry.timestamp());
            counters.checkpointsFailed(failures, entry.timestamp());
            alerts.take(status, entry.timestamp());
        });
    }

    private interface Reading {
        void run() throws IOException;
    }

    private static void read(ConsumerRecord<String, byte[]> entry, Reading reading) {
        if (entry.value() == null) {
            return; // a tombstone of a compacted topic, nothing to tell
        }
        try {
            reading.run();
        } catch (IOException | RuntimeException e) {
            skip(entry, e);
        }
    }

    private static void skip(ConsumerRecord<String, byte[]> entry, Exception problem) {
        LOG.warnf(
                "skipped an unreadable record: topic=%s partition=%d offset=%d reason=%s",
                entry.topic(), entry.partition(), entry.offset(), firstLine(problem));
    }

    private static String firstLine(Exception e) {
        String line = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        return e.getClass().getSimpleName() + ": "
                + (line.length() <= MAX_REASON ? line : line.substring(0, MAX_REASON) + "…");
    }
}
