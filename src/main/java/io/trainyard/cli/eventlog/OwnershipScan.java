package io.trainyard.cli.eventlog;

import io.trainyard.topics.Cluster;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.topics.TopicRecord;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/// The locations of a fleet's jobs: the jobs whose commands wait in a topic, and those with an ownership or a
/// deferred command.
///
/// First the start of each share group is read, then the commands, then the ownerships. A worker publishes the
/// ownership before it accepts the command, so a job that moves meanwhile is found at least once.
public final class OwnershipScan {
    private static final Duration POLL = Duration.ofMillis(200);

    private final Cluster kafka;
    private final Map<TopicPartition, Long> starts;

    private OwnershipScan(Cluster kafka, Map<TopicPartition, Long> starts) {
        this.kafka = kafka;
        this.starts = starts;
    }

    /// Takes the start of each share group.
    ///
    /// @throws KafkaUnreachableException if the brokers do not answer or refuse
    public static OwnershipScan open(Cluster kafka) {
        Map<TopicPartition, Long> starts = new HashMap<>();
        try (Admin admin = kafka.brokers().admin(kafka.timeout())) {
            Map<String, ListShareGroupOffsetsSpec> groups = Topic.COMMANDS.stream()
                    .collect(Collectors.toMap(
                            topic -> topic.claimGroup(kafka.prefix()), _ -> new ListShareGroupOffsetsSpec()));
            var asked = admin.listShareGroupOffsets(groups);
            for (String group : groups.keySet()) {
                TopicAdmin.await(kafka.brokers(), asked.partitionsToOffsetInfo(group), kafka.timeout())
                        .forEach((partition, info) -> {
                            if (info != null) {
                                starts.put(partition, info.startOffset());
                            }
                        });
            }
        }
        return new OwnershipScan(kafka, starts);
    }

    /// Whether a command waits. A share group that never was has not begun: all commands wait for it.
    public boolean isQueued(TopicRecord command) {
        TopicPartition partition =
                new TopicPartition(command.entry().topic(), command.entry().partition());
        return command.entry().offset() >= starts.getOrDefault(partition, 0L);
    }

    /// The jobs with a record of ownership or a deferred command at present.
    ///
    /// @throws KafkaUnreachableException if the brokers do not answer or refuse
    public Set<String> owned() {
        return kafka.reach(() -> {
            try (KafkaConsumer<String, byte[]> consumer = kafka.brokers()
                    .consumer(Map.of(
                            ConsumerConfig.CLIENT_ID_CONFIG,
                            "trainyard-cli-ownership",
                            ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                            Math.toIntExact(kafka.timeout().toMillis())))) {
                return owned(consumer);
            }
        });
    }

    private Set<String> owned(KafkaConsumer<String, byte[]> consumer) {
        String topic = Topic.OWNERSHIP.name(kafka.prefix());
        var present = consumer.partitionsFor(topic, kafka.timeout());
        List<TopicPartition> partitions = present == null
                ? List.of()
                : present.stream()
                        .map(one -> new TopicPartition(topic, one.partition()))
                        .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, kafka.timeout());
        Set<String> keys = new HashSet<>();
        long movedNanos = System.nanoTime();
        while (ends.entrySet().stream()
                .anyMatch(end -> consumer.position(end.getKey(), kafka.timeout()) < end.getValue())) {
            var records = consumer.poll(POLL);
            records.forEach(entry -> {
                if (entry.key() != null && entry.value() != null) {
                    keys.add(entry.key());
                } else if (entry.key() != null) {
                    keys.remove(entry.key());
                }
            });
            if (!records.isEmpty()) {
                movedNanos = System.nanoTime();
            } else if (System.nanoTime() - movedNanos > kafka.timeout().toNanos()) {
                throw new KafkaUnreachableException(
                        kafka.brokers(), new TimeoutException("no record before the end of " + topic));
            }
        }
        return keys.stream().map(OwnershipScan::job).collect(Collectors.toSet());
    }

    /// A deferred command has the key `<job>/<place>`.
    private static String job(String key) {
        int slash = key.indexOf('/');
        return slash < 0 ? key : key.substring(0, slash);
    }
}
