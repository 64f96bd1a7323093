package io.trainyard.worker;

import io.trainyard.topics.Brokers;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

final class KafkaFleetLog implements FleetLog {
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(60);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

    /// The time limit of a request about share groups.
    private static final Duration BACKLOG_TIMEOUT = Duration.ofSeconds(5);

    /// The time limit of the first try. A broker whose internal connection is missing or was idle for minutes
    /// answers after two seconds (docs/contributing/facts.md), but answers a second request at once.
    private static final Duration FIRST_TIMEOUT = Duration.ofMillis(400);

    private final Brokers kafka;
    private final String prefix;
    private final KafkaConsumer<String, byte[]> consumer;
    private final Map<TopicPartition, Long> ends;
    private boolean caughtUp;

    KafkaFleetLog(Brokers kafka, String prefix, String worker) {
        this.kafka = kafka;
        this.prefix = prefix;
        consumer = kafka.consumer(Map.of(ConsumerConfig.CLIENT_ID_CONFIG, worker + "-ownership-monitor"));
        List<TopicPartition> fromBeginning = new ArrayList<>(partitions(Topic.OWNERSHIP.name(prefix)));
        fromBeginning.addAll(partitions(Topic.CONTROL.name(prefix)));
        List<TopicPartition> heartbeats = partitions(Topic.WORKERS.name(prefix));
        List<TopicPartition> all = new ArrayList<>(fromBeginning);
        all.addAll(heartbeats);
        HIGH_PRIORITY.forEach(topic -> all.add(partition(topic)));
        consumer.assign(all);
        ends = consumer.endOffsets(fromBeginning, ANSWER_TIMEOUT);
        consumer.seekToBeginning(fromBeginning);
        consumer.endOffsets(heartbeats, ANSWER_TIMEOUT).forEach(consumer::seek);
        Map<Topic, Backlog> waiting = backlogAtFirst();
        HIGH_PRIORITY.forEach(topic -> {
            Backlog known = waiting.get(topic);
            consumer.seek(partition(topic), known == null ? 0 : known.start()); // if that offset is gone: the first one
        });
    }

    /// If the share groups cannot be described, all existing commands are read.
    private Map<Topic, Backlog> backlogAtFirst() {
        try {
            return backlog();
        } catch (KafkaUnreachableException _) {
            return Map.of();
        }
    }

    private TopicPartition partition(Topic topic) {
        return new TopicPartition(topic.name(prefix), 0);
    }

    private List<TopicPartition> partitions(String topic) {
        return TopicAdmin.partitions(consumer, kafka, topic, ANSWER_TIMEOUT);
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
    public void hold(Topic topic, boolean held) {
        List<TopicPartition> partition = List.of(partition(topic));
        if (held) {
            consumer.pause(partition);
        } else {
            consumer.resume(partition);
        }
    }

    @Override
    public Map<Topic, Backlog> backlog() {
        try {
            return backlog(FIRST_TIMEOUT);
        } catch (KafkaUnreachableException _) {
            return backlog(BACKLOG_TIMEOUT);
        }
    }

    private Map<Topic, Backlog> backlog(Duration timeout) {
        Map<Topic, Backlog> backlogs = new EnumMap<>(Topic.class);
        Admin admin = kafka.admin(timeout);
        try {
            Map<String, ListShareGroupOffsetsSpec> groups = HIGH_PRIORITY.stream()
                    .collect(Collectors.toMap(topic -> topic.claimGroup(prefix), _ -> new ListShareGroupOffsetsSpec()));
            var requested = admin.listShareGroupOffsets(groups);
            for (Topic topic : HIGH_PRIORITY) {
                var known = TopicAdmin.await(kafka, requested.partitionsToOffsetInfo(topic.claimGroup(prefix)), timeout)
                        .get(partition(topic));
                if (known != null) {
                    backlogs.put(
                            topic,
                            new Backlog(
                                    Math.max(0, known.startOffset()),
                                    known.lag().orElse(Long.MAX_VALUE)));
                }
            }
        } finally {
            admin.close(timeout); // without a limit it may wait forever
        }
        return backlogs;
    }

    @Override
    public void close() {
        consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(CLOSE_TIMEOUT));
    }
}
