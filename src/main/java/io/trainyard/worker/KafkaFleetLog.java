package io.trainyard.worker;

import io.trainyard.topics.Brokers;
import io.trainyard.topics.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/// The topics that all workers read, from Kafka.
final class KafkaFleetLog implements FleetLog {
    /// The bound on each answer of the brokers at the beginning.
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(60);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

    private final KafkaConsumer<String, byte[]> consumer;
    private final Map<TopicPartition, Long> ends;
    private boolean caughtUp;

    /// @param prefix of the topics' names
    KafkaFleetLog(Brokers kafka, String prefix, String worker) {
        consumer = kafka.consumer(Map.of(
                ConsumerConfig.CLIENT_ID_CONFIG,
                worker + "-keeper",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest"));
        List<TopicPartition> kept = new ArrayList<>(partitions(Topic.CUSTODY.name(prefix)));
        kept.addAll(partitions(Topic.CONTROL.name(prefix)));
        List<TopicPartition> heartbeats = partitions(Topic.WORKERS.name(prefix));
        List<TopicPartition> all = new ArrayList<>(kept);
        all.addAll(heartbeats);
        consumer.assign(all);
        ends = consumer.endOffsets(kept, ANSWER_TIMEOUT);
        consumer.seekToBeginning(kept);
        consumer.endOffsets(heartbeats, ANSWER_TIMEOUT).forEach(consumer::seek);
    }

    private List<TopicPartition> partitions(String topic) {
        return consumer.partitionsFor(topic, ANSWER_TIMEOUT).stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .toList();
    }

    @Override
    public List<ConsumerRecord<String, byte[]>> poll(Duration time) {
        List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
        consumer.poll(time).forEach(records::add);
        return records;
    }

    @Override
    public boolean isCaughtUp() {
        if (!caughtUp) {
            caughtUp = ends.keySet().stream()
                    .allMatch(partition -> consumer.position(partition) >= Objects.requireNonNull(ends.get(partition)));
        }
        return caughtUp;
    }

    @Override
    public void close() {
        consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(CLOSE_TIMEOUT));
    }
}
