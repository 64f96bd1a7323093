package io.trainyard.topics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

public final class RecordFinder {
    private static final Pattern PLACE = Pattern.compile("(.+)-(\\d{1,9}) at offset (\\d{1,18})");

    /// A small fetch size, because most records between two wanted ones are unneeded.
    private static final int MAX_FETCH_BYTES = 128 << 10;

    private RecordFinder() {}

    /// Reads records in the order of the topics. Deleted records and invalid positions are skipped.
    ///
    /// @param places in the format of [TopicRecord#place]
    /// @throws KafkaUnreachableException if the brokers do not answer in time
    public static List<TopicRecord> find(Cluster kafka, Collection<String> places) {
        Map<String, Topic> topics = Topic.byName(kafka.prefix());
        Map<Topic, Map<Integer, SortedSet<Long>>> wanted = new TreeMap<>();
        for (String place : places) {
            Matcher parts = PLACE.matcher(place);
            Topic topic = parts.matches() ? topics.get(parts.group(1)) : null;
            if (topic != null) {
                wanted.computeIfAbsent(topic, _ -> new TreeMap<>())
                        .computeIfAbsent(Integer.parseInt(parts.group(2)), _ -> new TreeSet<>())
                        .add(Long.parseLong(parts.group(3)));
            }
        }
        return wanted.isEmpty() ? List.of() : kafka.reach(() -> read(kafka, wanted));
    }

    private static List<TopicRecord> read(Cluster kafka, Map<Topic, Map<Integer, SortedSet<Long>>> wanted) {
        List<TopicRecord> found = new ArrayList<>();
        try (var consumer = consumer(kafka)) {
            wanted.forEach((topic, partitions) -> partitions.forEach((number, offsets) -> {
                TopicPartition partition = new TopicPartition(topic.name(kafka.prefix()), number);
                read(consumer, partition, offsets, kafka.timeout()).stream()
                        .map(entry -> new TopicRecord(topic, entry))
                        .forEach(found::add);
            }));
        }
        return found;
    }

    private static KafkaConsumer<String, byte[]> consumer(Cluster kafka) {
        return kafka.brokers()
                .consumer(Map.of(
                        ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                        Math.toIntExact(kafka.timeout().toMillis()),
                        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                        MAX_FETCH_BYTES));
    }

    private static List<ConsumerRecord<String, byte[]>> read(
            KafkaConsumer<String, byte[]> consumer,
            TopicPartition partition,
            SortedSet<Long> offsets,
            Duration timeout) {
        consumer.assign(List.of(partition));
        long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
        List<ConsumerRecord<String, byte[]>> found = new ArrayList<>();
        SortedSet<Long> left = new TreeSet<>(offsets.headSet(end));
        while (!left.isEmpty()) {
            consumer.seek(partition, left.first());
            List<ConsumerRecord<String, byte[]>> entries =
                    consumer.poll(timeout).records(partition);
            for (ConsumerRecord<String, byte[]> entry : entries) {
                if (left.remove(entry.offset()) && entry.value() != null) {
                    found.add(entry);
                }
            }
            // A missing offset was deleted: the brokers return the next record instead.
            left.headSet(entries.isEmpty() ? end : entries.getLast().offset()).clear();
        }
        return found;
    }
}
