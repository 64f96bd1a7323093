package io.trainyard.worker;

import io.trainyard.topics.Topic;
import io.trainyard.worker.SimTopic.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/// A consumer of a [SimProcess] without a group. Records of a topic arrive in order; the seed decides the order
/// between topics.
final class SimFleetLog implements FleetLog {
    private static final int MAX_POLL_RECORDS = 500;

    private static final class Reading {
        final SimTopic topic;
        final boolean fromBeginning;
        long position;
        long endAtFirst;
        boolean held;

        Reading(SimTopic topic, boolean fromBeginning) {
            this.topic = topic;
            this.fromBeginning = fromBeginning;
        }
    }

    private final SimKafka kafka;
    private final SimProcess process;
    private final List<Reading> readings;
    private final List<Reading> commands;
    private final Runnable waking = this::wake;
    private CompletableFuture<Void> newRecords = new CompletableFuture<>();
    private @Nullable CompletableFuture<Void> read; // the waiting future that is due to be completed
    private boolean positioned;

    SimFleetLog(SimKafka kafka, SimProcess process) {
        this.kafka = kafka;
        this.process = process;
        readings = new ArrayList<>(List.of(
                new Reading(kafka.topic(Topic.OWNERSHIP), true),
                new Reading(kafka.topic(Topic.CONTROL), true),
                new Reading(kafka.topic(Topic.WORKERS), false)));
        readings.forEach(reading -> reading.topic.atAppend(waking));
        commands = HIGH_PRIORITY.stream()
                .map(topic -> new Reading(kafka.topic(topic), true))
                .toList();
        commands.forEach(reading -> reading.topic.atAppend(waking));
        kafka.atStart(waking);
        process.atCrash(this::forget);
    }

    @SuppressWarnings("ReferenceEquality") // identity is intended
    private void wake() {
        CompletableFuture<Void> waited = newRecords;
        if (read != waited) { // one completion is enough
            read = waited;
            process.after(kafka.delay(), () -> waited.complete(null));
        }
    }

    @Override
    public List<ConsumerRecord<String, byte[]>> poll(Duration time) {
        long end = process.nanoTime() + time.toNanos();
        while (true) {
            newRecords = new CompletableFuture<>();
            List<ConsumerRecord<String, byte[]>> read = kafka.isUp() && process.canRead() ? fetch() : List.of();
            long left = end - process.nanoTime();
            if (!read.isEmpty() || left <= 0) {
                return read;
            }
            try {
                process.await(newRecords, Duration.ofNanos(left));
            } catch (TimeoutException e) {
                continue; // polls again
            } catch (InterruptedException e) {
                throw new InterruptException(e); // as Kafka's consumer does
            } catch (ExecutionException e) {
                throw new IllegalStateException("it does not fail", e);
            }
        }
    }

    private List<ConsumerRecord<String, byte[]>> fetch() {
        if (!positioned) {
            positioned = true;
            readings.forEach(reading -> {
                reading.endAtFirst = reading.topic.end();
                reading.position = reading.fromBeginning ? 0 : reading.topic.end();
            });
            commands.forEach(reading ->
                    reading.position = kafka.group(reading.topic.name()).start());
        }
        List<ConsumerRecord<String, byte[]>> read = new ArrayList<>();
        int first = kafka.any(readings.size());
        for (int i = 0; i < readings.size(); i++) {
            if (kafka.any(4) > 0) { // the other answers arrive later
                add(readings.get((first + i) % readings.size()), read);
            }
        }
        commands.stream().filter(reading -> !reading.held).forEach(reading -> add(reading, read));
        if (read.isEmpty()) {
            readings.forEach(reading -> add(reading, read));
        }
        return read;
    }

    private static void add(Reading reading, List<ConsumerRecord<String, byte[]>> read) {
        SimTopic topic = reading.topic;
        if (reading.position >= topic.end()) {
            return;
        }
        List<Entry> entries = topic.from(reading.position, MAX_POLL_RECORDS);
        for (Entry entry : entries) {
            String key = entry.key();
            read.add(topic.read(entry, key == null ? "" : key, Optional.empty()));
        }
        reading.position = entries.size() < MAX_POLL_RECORDS
                ? topic.end()
                : entries.getLast().offset() + 1;
    }

    @Override
    public void hold(Topic topic, boolean held) {
        commands.stream()
                .filter(reading -> reading.topic.name().equals(topic.name(kafka.prefix())))
                .forEach(reading -> reading.held = held);
    }

    @Override
    public Map<Topic, Backlog> backlog() {
        process.sleep(kafka.delay());
        if (!kafka.isUp() || !process.canRead()) {
            throw new KafkaException("the broker is away");
        }
        Map<Topic, Backlog> backlogs = new EnumMap<>(Topic.class);
        for (Topic topic : HIGH_PRIORITY) {
            SimShareGroup group = kafka.group(topic.name(kafka.prefix()));
            backlogs.put(topic, new Backlog(group.start(), group.lag()));
        }
        process.sleep(kafka.delay());
        return backlogs;
    }

    @Override
    public boolean isCaughtUp() {
        return positioned
                && readings.stream()
                        .filter(reading -> reading.fromBeginning)
                        .allMatch(reading -> reading.position >= reading.endAtFirst);
    }

    private void forget() {
        readings.forEach(reading -> reading.topic.forget(waking));
        commands.forEach(reading -> reading.topic.forget(waking));
        kafka.forget(waking);
    }

    @Override
    public void close() {
        forget();
    }
}
