package io.trainyard.cli;

import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/// The records of one partition that [EventLog] has in hand.
final class PartitionBuffer {
    /// A partition with this much in hand is paused; one poll adds at most as much again.
    static final int MAX_RECORDS = 1000;

    private static final int MAX_BYTES = 4 << 20;

    /// What a record takes besides its body, roughly.
    private static final int RECORD_BYTES = 200;

    /// Of records with the same timestamp, these topics' come first, in this order.
    private static final List<Topic> TIES = Stream.concat(
                    Topic.COMMANDS.stream(),
                    Stream.of(Topic.STEPS, Topic.ACCURACY, Topic.CHECKPOINTS, Topic.JOBS, Topic.DEAD_LETTER))
            .toList();

    /// By the earliest records in hand; only for buffers that are not empty. The earliest need not be the first:
    /// each worker stamps its records, and those of two workers may reach a partition the other way round. What
    /// stands before a late record must go for it to come in its time.
    static final Comparator<PartitionBuffer> ORDER = Comparator.<PartitionBuffer>comparingLong(
                    buffer -> buffer.earliest.element())
            .thenComparingInt(buffer -> TIES.indexOf(buffer.topic));

    private final Topic topic;
    private final Queue<ConsumerRecord<String, byte[]>> records = new ArrayDeque<>();

    /// Timestamps of the records that are earlier than all behind them: the first is the earliest of all.
    private final Deque<Long> earliest = new ArrayDeque<>();

    private long bytes;

    PartitionBuffer(Topic topic) {
        this.topic = topic;
    }

    void add(List<ConsumerRecord<String, byte[]>> more) {
        more.forEach(entry -> {
            records.add(entry);
            bytes += size(entry);
            while (!earliest.isEmpty() && earliest.getLast() > entry.timestamp()) {
                earliest.removeLast();
            }
            earliest.add(entry.timestamp());
        });
    }

    boolean isEmpty() {
        return records.isEmpty();
    }

    boolean isFull() {
        return records.size() >= MAX_RECORDS || bytes >= MAX_BYTES;
    }

    /// Whether the first record is there, and before an offset.
    boolean isBefore(long offset) {
        return !records.isEmpty() && records.element().offset() < offset;
    }

    /// Hands the first record on.
    void pass(Consumer<EventLog.Entry> reader) {
        ConsumerRecord<String, byte[]> entry = records.remove();
        bytes -= size(entry);
        if (earliest.element() == entry.timestamp()) {
            earliest.remove();
        }
        if (entry.value() != null) { // null: a compacted topic's mark that a key is gone
            String where = "%s-%d at offset %d".formatted(entry.topic(), entry.partition(), entry.offset());
            reader.accept(new EventLog.Entry(topic, where, entry.key(), reason(entry), entry.value()));
        }
    }

    private static long size(ConsumerRecord<String, byte[]> entry) {
        return (long) RECORD_BYTES + Math.max(0, entry.serializedValueSize());
    }

    private static @Nullable String reason(ConsumerRecord<String, byte[]> entry) {
        Header reason = entry.headers().lastHeader(DeadLetter.REASON);
        return reason == null || reason.value() == null ? null : new String(reason.value(), StandardCharsets.UTF_8);
    }
}
