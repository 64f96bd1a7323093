package io.trainyard.cli.eventlog;

import io.trainyard.topics.RecordKey;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// The buffered records of one partition for [EventLog], earliest first: workers set timestamps, so records of
/// two workers may be out of order in a partition. Records of one job keep the partition's order, because two
/// attempts may have workers with different clocks.
final class PartitionBuffer {
    private static final int MAX_BYTES = 4 << 20;

    /// The approximate memory of a record without its body.
    private static final int RECORD_BYTES = 200;

    /// By their next records; only for buffers that are not empty.
    static final Comparator<PartitionBuffer> ORDER = Comparator.<PartitionBuffer>comparingLong(
                    buffer -> buffer.records.element().timeMillis())
            .thenComparing(buffer -> buffer.topic);

    private final Topic topic;
    private final Queue<Timed> records = new PriorityQueue<>(Comparator.comparingLong(Timed::timeMillis)
            .thenComparingLong(timed -> timed.entry().offset()));

    private final Map<String, InHand> jobs = new HashMap<>();

    /// Those from `limit` on, in the partition's order.
    private final Queue<ConsumerRecord<String, byte[]>> heldBack = new ArrayDeque<>();

    private long limit = Long.MAX_VALUE;
    private long bytes;

    /// @param timeMillis its timestamp, or that of its job's record before it if that is later
    private record Timed(long timeMillis, ConsumerRecord<String, byte[]> entry) {}

    private record InHand(int count, long newestMillis) {}

    PartitionBuffer(Topic topic) {
        this.topic = topic;
    }

    Topic topic() {
        return topic;
    }

    /// Withholds records from an offset on; the buffer counts as empty if it has only those.
    void holdBackFrom(long offset) {
        limit = offset;
        List<ConsumerRecord<String, byte[]>> held = List.copyOf(heldBack);
        heldBack.clear();
        held.forEach(this::take);
    }

    void add(List<ConsumerRecord<String, byte[]>> more) {
        more.forEach(entry -> {
            bytes += size(entry);
            take(entry);
        });
    }

    private void take(ConsumerRecord<String, byte[]> entry) {
        if (entry.offset() >= limit) {
            heldBack.add(entry);
            return;
        }
        InHand before = jobs.getOrDefault(job(entry), new InHand(0, Long.MIN_VALUE));
        long timeMillis = Math.max(before.newestMillis(), entry.timestamp());
        jobs.put(job(entry), new InHand(before.count() + 1, timeMillis));
        records.add(new Timed(timeMillis, entry));
    }

    private static String job(ConsumerRecord<String, byte[]> entry) {
        return entry.key() == null ? "" : RecordKey.job(entry.key()); // anybody may write to the topics
    }

    boolean isEmpty() {
        return records.isEmpty();
    }

    boolean isFull() {
        return records.size() + heldBack.size() >= EventLog.MAX_RECORDS || bytes >= MAX_BYTES;
    }

    void pass(Consumer<TopicRecord> reader) {
        ConsumerRecord<String, byte[]> entry = records.remove().entry();
        bytes -= size(entry);
        jobs.computeIfPresent(
                job(entry),
                (_, inHand) -> inHand.count() == 1 ? null : new InHand(inHand.count() - 1, inHand.newestMillis()));
        if (entry.value() != null) { // null: a tombstone of a compacted topic
            reader.accept(new TopicRecord(topic, entry));
        }
    }

    private static long size(ConsumerRecord<String, byte[]> entry) {
        return (long) RECORD_BYTES + Math.max(0, entry.serializedValueSize());
    }
}
