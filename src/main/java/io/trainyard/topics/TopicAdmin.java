package io.trainyard.topics;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/// Creates missing topics. Existing topics keep their settings.
public final class TopicAdmin {
    private static final Duration RETRY_INTERVAL = Duration.ofMillis(50);

    private TopicAdmin() {}

    /// Creates all topics. Those that workers use are needed.
    ///
    /// @param timeout for each request
    /// @throws KafkaUnreachableException if the brokers do not answer in time or refuse
    public static void createMissing(Brokers kafka, String prefix, Duration timeout) {
        createMissing(kafka, prefix, Topic.OF_WORKERS, timeout);
    }

    /// Creates missing topics. A topic without DESCRIBE permission appears to be missing, so a refused creation
    /// is an error only for needed topics.
    ///
    /// @throws KafkaUnreachableException if the brokers do not answer in time or refuse
    public static void createMissing(Brokers kafka, String prefix, Collection<Topic> needed, Duration timeout) {
        try (Admin admin = kafka.admin(timeout)) {
            Set<String> present = await(kafka, admin.listTopics().names(), timeout);
            List<NewTopic> missing = Arrays.stream(Topic.values())
                    .filter(topic -> !present.contains(topic.name(prefix)))
                    .map(topic -> new NewTopic(topic.name(prefix), topic.partitions(), Optional.empty())
                            .configs(topic.settings()))
                    .toList();
            Set<String> refused = new TreeSet<>();
            admin.createTopics(missing).values().forEach((topic, created) -> {
                if (!isCreated(kafka, created, timeout)) {
                    refused.add(topic);
                }
            });
            refused.retainAll(needed.stream().map(topic -> topic.name(prefix)).toList());
            if (!refused.isEmpty()) {
                throw new KafkaUnreachableException(kafka, new TopicAuthorizationException(refused));
            }
        }
    }

    /// The partitions of existing topics with the topic's id, which changes if a topic is deleted and created
    /// again.
    ///
    /// @throws KafkaUnreachableException if the brokers do not answer in time or refuse
    public static Map<TopicPartition, String> partitions(
            Admin admin, Brokers kafka, Collection<String> topics, Duration timeout) {
        Map<TopicPartition, String> partitions = new HashMap<>();
        admin.describeTopics(topics).topicNameValues().forEach((name, described) -> {
            try {
                TopicDescription topic = await(kafka, described, timeout);
                topic.partitions()
                        .forEach(partition -> partitions.put(
                                new TopicPartition(name, partition.partition()),
                                topic.topicId().toString()));
            } catch (KafkaUnreachableException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                    throw e;
                }
            }
        });
        return partitions;
    }

    /// The partitions of an existing topic. Brokers learn of a new topic with a delay and report no partitions
    /// before, so the request is repeated.
    ///
    /// @throws KafkaUnreachableException if the topic has no partitions within the timeout
    public static List<TopicPartition> partitions(
            Consumer<?, ?> consumer, Brokers kafka, String topic, Duration timeout) {
        long endNanos = System.nanoTime() + timeout.toNanos();
        while (true) {
            List<PartitionInfo> found = consumer.partitionsFor(topic, timeout);
            if (found != null && !found.isEmpty()) {
                return found.stream()
                        .map(partition -> new TopicPartition(topic, partition.partition()))
                        .toList();
            }
            if (System.nanoTime() > endNanos) {
                throw new KafkaUnreachableException(
                        kafka, new UnknownTopicOrPartitionException("there is no topic " + topic));
            }
            LockSupport.parkNanos(RETRY_INTERVAL.toNanos());
            if (Thread.currentThread().isInterrupted()) {
                throw new KafkaUnreachableException(kafka, new InterruptException("interrupted"));
            }
        }
    }

    /// The ends of topics: the next offset of each partition that contains records.
    ///
    /// @throws KafkaUnreachableException if the brokers do not answer in time or refuse
    public static Map<TopicPartition, Long> ends(
            Admin admin, Brokers kafka, Collection<String> topics, Duration timeout) {
        List<TopicPartition> partitions =
                await(kafka, admin.describeTopics(topics).allTopicNames(), timeout).values().stream()
                        .flatMap(topic -> topic.partitions().stream()
                                .map(partition -> new TopicPartition(topic.name(), partition.partition())))
                        .toList();
        var starts = offsets(admin, kafka, partitions, OffsetSpec.earliest(), timeout);
        var ends = offsets(admin, kafka, partitions, OffsetSpec.latest(), timeout);
        ends.keySet().removeIf(partition -> starts.getOrDefault(partition, 0L) >= ends.getOrDefault(partition, 0L));
        return ends;
    }

    private static Map<TopicPartition, Long> offsets(
            Admin admin, Brokers kafka, List<TopicPartition> partitions, OffsetSpec which, Duration timeout) {
        Map<TopicPartition, OffsetSpec> requested = new HashMap<>();
        partitions.forEach(partition -> requested.put(partition, which));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        await(kafka, admin.listOffsets(requested).all(), timeout)
                .forEach((partition, found) -> offsets.put(partition, found.offset()));
        return offsets;
    }

    /// @return false if creating it is not permitted
    private static boolean isCreated(Brokers kafka, KafkaFuture<Void> created, Duration timeout) {
        try {
            await(kafka, created, timeout);
            return true;
        } catch (KafkaUnreachableException e) {
            if (e.getCause() instanceof TopicAuthorizationException) {
                return false;
            }
            if (e.getCause() instanceof TopicExistsException) { // another process created it first
                return true;
            }
            throw e;
        }
    }

    /// Waits for a response of the brokers.
    ///
    /// @throws KafkaUnreachableException if they do not answer in time or refuse; its cause has the reason
    public static <T> T await(Brokers kafka, Future<T> answer, Duration timeout) {
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new KafkaUnreachableException(kafka, e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            throw new KafkaUnreachableException(kafka, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaUnreachableException(kafka, e);
        }
    }
}
