package io.trainyard.dashboard;

import io.trainyard.event.Control;
import io.trainyard.event.EventJson;
import io.trainyard.event.JobRecord;
import io.trainyard.event.MetricValues;
import io.trainyard.event.WorkerStatus;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.topics.TopicRecord;
import io.trainyard.tracking.Partition;
import io.trainyard.tracking.TrackingException;
import io.trainyard.tracking.TrackingStore;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Reads the topics into the history, starting at the offsets in the tracking store; heartbeats from the
/// beginning. A record that cannot be read or stored is counted, logged and skipped, because any client can
/// write to a topic and one invalid record must not stop the dashboard. If the store is unavailable, the
/// consumer waits.
///
/// The memory for records is limited to [#MAX_BATCH_BYTES], one further record and one fetch.
@Singleton
public class TopicConsumer {
    private static final Logger LOG = Logger.getLogger(TopicConsumer.class);
    /// The maximum length of a reason in the log. The record stays in its topic.
    private static final int MAX_REASON = 300;

    private static final int MAX_LOGGED = 20;

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /// Timeout for listing topics.
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /// The interval of topic lookups. A topic may be deleted and created again.
    private static final Duration LOOK = Duration.ofSeconds(1);

    private static final Duration POLL = Duration.ofMillis(200);

    /// The reader thread stops within this time, unless brokers or the store are unavailable.
    private static final Duration ENDS = Duration.ofSeconds(5);

    /// Timeout for closing the consumer, because the brokers may be unavailable.
    private static final Duration CLOSES = Duration.ofSeconds(1);

    private static final int MAX_BATCH = 2000;

    /// The maximum size of a batch of two or more records, in bytes.
    private static final int MAX_BATCH_BYTES = 4 << 20;

    /// The fetch size per broker in bytes, compressed.
    private static final int MAX_FETCH_BYTES = 4 << 20;

    /// The reader thread counts as blocked after this time without progress.
    private static final Duration HANGS = Duration.ofMinutes(5);

    private final TrackingStore store;
    private final JobHistory history;
    private final SourceStatus sources;
    private final FleetCounters counters;
    private final AlertWatch alerts;
    private final Brokers kafka;
    private final String prefix;
    private final Map<String, Topic> topics;
    private volatile Map<TopicPartition, String> ids = Map.of();
    private volatile @Nullable Thread reader;
    private volatile boolean closed;
    private volatile long aliveNanos = System.nanoTime();
    private boolean failing;
    private long loggedMinute;
    private int loggedInMinute;

    TopicConsumer(
            TrackingStore store,
            JobHistory history,
            SourceStatus sources,
            FleetCounters counters,
            AlertWatch alerts,
            Brokers kafka,
            @ConfigProperty(name = "trainyard.topics.prefix") String prefix) {
        this.store = store;
        this.history = history;
        this.sources = sources;
        this.counters = counters;
        this.alerts = alerts;
        this.kafka = kafka;
        this.prefix = prefix;
        topics = Topic.byName(prefix);
    }

    synchronized void start() {
        reader = Thread.ofPlatform().name("topic-reader").daemon().start(this::run);
    }

    /// Whether the reader thread runs or waits for the brokers or the store. If false, it will never read
    /// again.
    boolean isAlive() {
        Thread started = reader;
        return started == null || closed || (started.isAlive() && System.nanoTime() - aliveNanos < HANGS.toNanos());
    }

    void close() throws InterruptedException {
        closed = true;
        Thread started = reader;
        if (started != null && !started.join(ENDS)) { // an interrupted consumer cannot be closed properly
            started.interrupt();
            started.join(TIMEOUT);
        }
    }

    /// Continues at the offsets in the store after every error.
    private void run() {
        while (!closed) {
            try {
                aliveNanos = System.nanoTime();
                readOn();
            } catch (InterruptedException | InterruptException _) {
                return; // closed
            } catch (OutOfMemoryError e) {
                throw e;
            } catch (RuntimeException | Error e) {
                if (!closed && !failing) {
                    LOG.warnf("the topics cannot be read; tried again until they can: %s", firstLine(e));
                }
                failing = true;
                pause();
            }
        }
    }

    private void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void readOn() throws InterruptedException {
        try (Admin admin = kafka.admin(TIMEOUT)) {
            KafkaConsumer<String, byte[]> consumer = kafka.consumer(Map.of(
                    ConsumerConfig.CLIENT_ID_CONFIG,
                    "dashboard",
                    ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                    MAX_FETCH_BYTES,
                    ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                    1));
            try {
                readOn(admin, consumer);
            } finally { // closing waits up to 30 s for brokers by default, longer than close() waits for this thread
                consumer.close(CloseOptions.timeout(CLOSES));
            }
        }
    }

    private void readOn(Admin admin, KafkaConsumer<String, byte[]> consumer) throws InterruptedException {
        ids = Map.of();
        long looked = System.nanoTime() - LOOK.toNanos();
        while (!closed) {
            aliveNanos = System.nanoTime();
            if (aliveNanos - looked >= LOOK.toNanos()) {
                lookForTopics(admin, consumer);
                looked = System.nanoTime();
                failing = false;
            }
            List<ConsumerRecord<String, byte[]>> records = poll(consumer);
            if (!records.isEmpty()) {
                read(records);
            }
        }
    }

    /// A topic that was deleted and created again has a new id and is read from its beginning.
    private void lookForTopics(Admin admin, KafkaConsumer<String, byte[]> consumer) {
        Map<TopicPartition, String> before = ids;
        Map<TopicPartition, String> now = TopicAdmin.partitions(
                admin,
                kafka,
                Topic.SHOWN.stream().map(topic -> topic.name(prefix)).toList(),
                TIMEOUT);
        if (now.equals(before)) {
            return;
        }
        ids = Map.copyOf(now);
        consumer.assign(now.keySet());
        Map<Partition, Long> known = store.offsets();
        now.forEach((partition, id) -> {
            if (!id.equals(before.get(partition))) {
                consumer.seek(partition, known.getOrDefault(tracked(partition), 0L));
            }
        });
    }

    private static List<ConsumerRecord<String, byte[]>> poll(KafkaConsumer<String, byte[]> consumer) {
        List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
        long bytes = 0;
        Duration wait = POLL;
        while (records.size() < MAX_BATCH && bytes < MAX_BATCH_BYTES) {
            var polled = consumer.poll(wait);
            if (polled.isEmpty()) {
                break;
            }
            for (ConsumerRecord<String, byte[]> entry : polled) {
                records.add(entry);
                bytes += Math.max(0, entry.serializedKeySize()) + Math.max(0, entry.serializedValueSize());
            }
            wait = Duration.ZERO;
        }
        return records;
    }

    /// The topics with offsets in the store.
    List<String> trackedTopics() {
        return Stream.concat(Topic.JOB_TOPICS.stream(), Stream.of(Topic.CONTROL, Topic.METRICS))
                .map(topic -> topic.name(prefix))
                .toList();
    }

    Partition tracked(TopicPartition partition) {
        return new Partition(ids.getOrDefault(partition, partition.topic()), partition.partition());
    }

    /// Stores records, and waits while the store is unavailable.
    void read(List<ConsumerRecord<String, byte[]>> records) throws InterruptedException {
        boolean storeAway = false;
        while (true) {
            aliveNanos = System.nanoTime();
            try {
                take(records);
                sources.store(true);
                if (storeAway) {
                    LOG.info("the tracking store is back");
                }
                return;
            } catch (TrackingException e) {
                if (!storeAway) {
                    LOG.warnf("%s; retried until it succeeds; no further records are read before", firstLine(e));
                }
                storeAway = true;
                sources.store(false);
                Thread.sleep(PAUSE);
            }
        }
    }

    /// Stores all records in one transaction. If that fails, stores each one in its own transaction.
    private void take(Iterable<ConsumerRecord<String, byte[]>> records) {
        try {
            takeTogether(records);
        } catch (TrackingException | OutOfMemoryError e) {
            throw e;
        } catch (RuntimeException | Error _) {
            for (ConsumerRecord<String, byte[]> entry : records) {
                takeOrSkip(entry);
            }
        }
    }

    private void takeOrSkip(ConsumerRecord<String, byte[]> entry) {
        aliveNanos = System.nanoTime();
        try {
            takeTogether(List.of(entry));
        } catch (TrackingException | OutOfMemoryError e) {
            throw e;
        } catch (RuntimeException | Error e) {
            skip(entry, e);
            Partition partition = tracked(new TopicPartition(entry.topic(), entry.partition()));
            var _ = history.apply(List.of(), Map.of(partition, entry.offset() + 1));
        }
    }

    /// Skips records that are in the store already, because another process may write to it.
    private void takeTogether(Iterable<ConsumerRecord<String, byte[]>> records) {
        Map<Partition, Long> known = store.offsets();
        List<JobRecord> jobRecords = new ArrayList<>();
        List<Control> controls = new ArrayList<>();
        List<MetricValues> metrics = new ArrayList<>();
        Map<Partition, Long> next = new HashMap<>();
        int refused = 0;
        for (ConsumerRecord<String, byte[]> entry : records) {
            Topic topic = topics.get(entry.topic());
            Partition partition = tracked(new TopicPartition(entry.topic(), entry.partition()));
            if (topic == Topic.WORKERS) {
                readStatus(entry);
            } else if (topic != null && entry.offset() >= known.getOrDefault(partition, 0L)) {
                if (topic == Topic.CONTROL) {
                    readControl(entry, controls);
                } else if (topic == Topic.METRICS) {
                    readMetrics(entry, metrics);
                } else {
                    readJobRecords(topic, entry, jobRecords);
                }
                refused += topic == Topic.DEAD_LETTER && entry.value() != null ? 1 : 0;
                next.put(partition, entry.offset() + 1);
            }
        }
        store.keep(controls); // idempotent if records are read twice
        alerts.take(jobRecords);
        long omittedBefore = store.omitted();
        counters.taken(jobRecords, history.apply(jobRecords, metrics, next), refused);
        counters.skipped(store.omitted() - omittedBefore);
    }

    private void readJobRecords(Topic topic, ConsumerRecord<String, byte[]> entry, List<JobRecord> jobRecords) {
        read(entry, () -> new TopicRecord(topic, entry).jobRecord().ifPresent(jobRecords::add));
    }

    private void readControl(ConsumerRecord<String, byte[]> entry, List<Control> controls) {
        read(entry, () -> controls.add(EventJson.readControl(entry.value())));
    }

    /// Values without a time get the timestamp of their record.
    private void readMetrics(ConsumerRecord<String, byte[]> entry, List<MetricValues> metrics) {
        read(entry, () -> {
            MetricValues values = EventJson.readMetrics(entry.value());
            metrics.add(
                    values.time() != null
                            ? values
                            : new MetricValues(
                                    values.job(),
                                    values.step(),
                                    Instant.ofEpochMilli(entry.timestamp()),
                                    values.values()));
        });
    }

    /// The time of a heartbeat is the timestamp of its record.
    private void readStatus(ConsumerRecord<String, byte[]> entry) {
        read(entry, () -> {
            WorkerStatus status = EventJson.readStatus(entry.value());
            int failures = history.apply(status, entry.value().length, entry.timestamp());
            counters.checkpointsFailed(failures, entry.timestamp());
            alerts.take(status, entry.timestamp());
        });
    }

    private interface Reading {
        void run() throws IOException;
    }

    private void read(ConsumerRecord<String, byte[]> entry, Reading reading) {
        if (entry.value() == null) {
            return; // a tombstone of a compacted topic
        }
        try {
            reading.run();
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (IOException | RuntimeException | Error e) {
            skip(entry, e);
        }
    }

    private void skip(ConsumerRecord<String, byte[]> entry, Throwable problem) {
        counters.skipped(1);
        long minute = System.currentTimeMillis() / Duration.ofMinutes(1).toMillis();
        loggedInMinute = minute == loggedMinute ? loggedInMinute + 1 : 1;
        loggedMinute = minute;
        if (loggedInMinute > MAX_LOGGED) {
            return;
        }
        LOG.warnf(
                "skipped an unreadable record: topic=%s partition=%d offset=%d reason=%s",
                entry.topic(), entry.partition(), entry.offset(), firstLine(problem));
        if (loggedInMinute == MAX_LOGGED) {
            LOG.warn("more that are skipped within this minute are counted, but not logged");
        }
    }

    private static String firstLine(Throwable e) {
        String line = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        return e.getClass().getSimpleName() + ": "
                + (line.length() <= MAX_REASON ? line : line.substring(0, MAX_REASON) + "…");
    }
}
