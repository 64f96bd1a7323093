package io.trainyard.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/// The log of a topic of [SimKafka]: one partition with text keys.
final class SimTopic {
    /// How long tombstones are retained.
    private static final Duration TOMBSTONES_STAY = Duration.ofMinutes(2);

    private final SimWorld world;
    private final String name;
    private final List<Entry> entries = new ArrayList<>(); // in offset order; compaction leaves gaps
    private final List<Runnable> readers = new ArrayList<>();
    private long start;
    private long end;

    record Entry(
            long offset,
            @Nullable String key,
            byte @Nullable [] value,
            RecordHeaders headers,
            long millis,
            long appendedNanos) {}

    SimTopic(SimWorld world, String name) {
        this.world = world;
        this.name = name;
    }

    String name() {
        return name;
    }

    void append(ProducerRecord<@Nullable String, byte @Nullable []> record) {
        Long millis = record.timestamp();
        RecordHeaders headers = new RecordHeaders(record.headers());
        headers.setReadOnly(); // all readers share them
        entries.add(
                new Entry(end++, record.key(), record.value(), headers, millis == null ? 0 : millis, world.nanos()));
        world.note("append", name, end - 1);
        readers.forEach(Runnable::run);
    }

    /// @param reader called after each append
    void atAppend(Runnable reader) {
        readers.add(reader);
    }

    void forget(Runnable reader) {
        readers.remove(reader);
    }

    /// The first offset that may exist.
    long start() {
        return start;
    }

    /// The offset of the next record.
    long end() {
        return end;
    }

    /// At most `most` records from an offset on.
    List<Entry> from(long offset, int most) {
        int first = index(offset);
        return List.copyOf(entries.subList(first, first + Math.min(entries.size() - first, most)));
    }

    /// The index of the first record at an offset or after it.
    private int index(long offset) {
        int low = 0;
        int high = entries.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (entries.get(middle).offset() < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /// Compacts: keeps only the newest record of each key before an offset.
    ///
    /// @param until records from here on are untouched, like the active segment
    void compact(long until) {
        Map<String, Long> newest = new HashMap<>();
        for (Entry entry : entries) {
            if (entry.key() != null && entry.offset() < until) {
                newest.put(entry.key(), entry.offset());
            }
        }
        long old = world.nanos() - TOMBSTONES_STAY.toNanos();
        int before = entries.size();
        entries.removeIf(entry -> entry.offset() < until
                && (entry.key() == null
                        || newest.getOrDefault(entry.key(), -1L) != entry.offset()
                        || entry.value() == null && entry.appendedNanos() < old));
        world.note("compact", name, before - entries.size());
    }

    void trim(long before) {
        start = Math.max(start, Math.min(before, end));
        entries.removeIf(entry -> entry.offset() < start);
        world.note("trim", name, start);
    }

    <K> ConsumerRecord<K, byte[]> read(Entry entry, K key, Optional<Short> deliveries) {
        byte[] value = entry.value();
        @SuppressWarnings("NullAway") // Kafka's type does not declare that a value may be null
        ConsumerRecord<K, byte[]> record = new ConsumerRecord<>(
                name,
                0,
                entry.offset(),
                entry.millis(),
                TimestampType.CREATE_TIME,
                ConsumerRecord.NULL_SIZE,
                value == null ? ConsumerRecord.NULL_SIZE : value.length,
                key,
                value,
                entry.headers(),
                Optional.empty(),
                deliveries);
        return record;
    }
}
