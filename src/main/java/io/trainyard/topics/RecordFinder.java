package io.trainyard.topics;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/// Reads one record again whose place is known.
public final class RecordFinder {
    private static final Pattern PLACE = Pattern.compile("(.+)-(\\d{1,9}) at offset (\\d{1,18})");

    private RecordFinder() {}

    /// @param place as [TopicRecord#place] says it
    /// @return empty where the record is gone, or the place is none
    /// @throws KafkaUnreachableException if the brokers do not answer in time
    public static Optional<TopicRecord> find(Cluster kafka, String place) {
        Matcher parts = PLACE.matcher(place);
        Topic topic = parts.matches() ? Topic.byName(kafka.prefix()).get(parts.group(1)) : null;
        return topic == null
                ? Optional.empty()
                : find(
                                kafka,
                                new TopicPartition(parts.group(1), Integer.parseInt(parts.group(2))),
                                Long.parseLong(parts.group(3)))
                        .map(entry -> new TopicRecord(topic, entry));
    }

    private static Optional<ConsumerRecord<String, byte[]>> find(Cluster kafka, TopicPartition partition, long offset) {
        return kafka.reach(() -> {
            int millis = Math.toIntExact(kafka.timeout().toMillis());
            Map<String, Object> settings = Map.of(
                    ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    kafka.address(),
                    ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                    millis,
                    ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                    1,
                    ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                    "earliest");
            try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer())) {
                consumer.assign(List.of(partition));
                long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
                if (offset >= end) {
                    return Optional.empty();
                }
                consumer.seek(partition, offset);
                for (ConsumerRecord<String, byte[]> entry : consumer.poll(Duration.ofMillis(millis))) {
                    return Optional.of(entry).filter(found -> found.offset() == offset && found.value() != null);
                }
                return Optional.empty();
            }
        });
    }
}
