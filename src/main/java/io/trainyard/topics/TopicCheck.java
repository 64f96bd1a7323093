package io.trainyard.topics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.PolicyViolationException;

/// Checks the settings of existing topics, for example those that an operator created. With a retention time of
/// a week, waiting commands would be deleted.
public final class TopicCheck {
    private static final System.Logger LOG = System.getLogger(TopicCheck.class.getName());

    private TopicCheck() {}

    private record Fault(Topic topic, String name, String setting, String value, String needed) {
        boolean losesJobs() {
            return !setting.equals(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG)
                    && !setting.equals(TopicConfig.MAX_MESSAGE_BYTES_CONFIG)
                    && (topic.content() == Topic.Content.COMMANDS
                            || topic == Topic.OWNERSHIP
                            || topic == Topic.CONTROL);
        }

        String sentence(Brokers kafka) {
            return "topic %s has %s=%s; needed is %s: kafka-configs.sh --bootstrap-server %s --alter --entity-type topics --entity-name %s --add-config %s=%s"
                    .formatted(name, setting, value, needed, kafka.address(), name, setting, needed);
        }
    }

    /// Corrects settings if permitted, and logs warnings about the others.
    ///
    /// @param timeout for each request
    /// @throws KafkaConfigException if a setting can lose jobs and this process may not correct it
    /// @throws KafkaUnreachableException if the brokers do not answer in time
    public static void correct(Brokers kafka, String prefix, Duration timeout) {
        try (Admin admin = kafka.admin(timeout)) {
            Set<String> present = TopicAdmin.await(kafka, admin.listTopics().names(), timeout);
            Map<ConfigResource, Topic> topics = Arrays.stream(Topic.values())
                    .filter(topic -> present.contains(topic.name(prefix)))
                    .collect(Collectors.toMap(
                            topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic.name(prefix)),
                            Function.identity()));
            warnOfPartitions(admin, kafka, topics, timeout);
            Optional<Map<ConfigResource, Config>> found = unlessForbidden(
                    kafka, admin.describeConfigs(topics.keySet()).all(), timeout);
            if (found.isEmpty()) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "the settings of the topics {0}* cannot be checked: Kafka does not allow DescribeConfigs on them",
                        prefix);
                return;
            }
            List<Fault> faults = new ArrayList<>();
            found.get()
                    .forEach((resource, config) -> faults.addAll(
                            faults(Objects.requireNonNull(topics.get(resource)), resource.name(), config)));
            if (!faults.isEmpty()) {
                correct(admin, kafka, faults, timeout);
            }
        }
    }

    private static List<Fault> faults(Topic topic, String name, Config config) {
        List<Fault> faults = new ArrayList<>();
        topic.required().forEach((setting, needed) -> {
            ConfigEntry entry = config.get(setting);
            String value = entry == null ? null : entry.value();
            if (value != null && !isEnough(setting, value, needed)) {
                faults.add(new Fault(topic, name, setting, value, needed));
            }
        });
        return faults;
    }

    private static boolean isEnough(String setting, String value, String needed) {
        return setting.equals(TopicConfig.MAX_MESSAGE_BYTES_CONFIG)
                ? Long.parseLong(value) >= Long.parseLong(needed)
                : value.equals(needed);
    }

    private static void correct(Admin admin, Brokers kafka, List<Fault> faults, Duration timeout) {
        Map<ConfigResource, Collection<AlterConfigOp>> changes = new HashMap<>();
        for (Fault fault : faults) {
            changes.computeIfAbsent(new ConfigResource(ConfigResource.Type.TOPIC, fault.name()), _ -> new ArrayList<>())
                    .add(new AlterConfigOp(new ConfigEntry(fault.setting(), fault.needed()), AlterConfigOp.OpType.SET));
        }
        boolean corrected = unlessForbidden(
                        kafka, admin.incrementalAlterConfigs(changes).all().thenApply(_ -> true), timeout)
                .isPresent();
        for (Fault fault : faults) {
            if (corrected) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "topic {0} had {1}={2}; it was set to {3}",
                        fault.name(),
                        fault.setting(),
                        fault.value(),
                        fault.needed());
            } else if (fault.losesJobs()) {
                throw new KafkaConfigException(
                        "jobs would be lost, and this process may not correct it: " + fault.sentence(kafka));
            } else {
                LOG.log(System.Logger.Level.WARNING, "{0}", fault.sentence(kafka));
            }
        }
    }

    /// Kafka cannot remove partitions. A topic with too many must be deleted while it is empty.
    private static void warnOfPartitions(
            Admin admin, Brokers kafka, Map<ConfigResource, Topic> topics, Duration timeout) {
        List<String> single = topics.entrySet().stream()
                .filter(topic -> topic.getValue().partitions().isPresent())
                .map(topic -> topic.getKey().name())
                .toList();
        Map<String, TopicDescription> found =
                TopicAdmin.await(kafka, admin.describeTopics(single).allTopicNames(), timeout);
        found.forEach((name, topic) -> {
            if (topic.partitions().size() != 1) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "topic {0} has {1} partitions; needed is 1: commands would wait for busy workers, and heartbeats come out of order. Stop the fleet once the topic is empty, delete the topic, and start again",
                        name,
                        topic.partitions().size());
            }
        });
    }

    private static <T> Optional<T> unlessForbidden(Brokers kafka, KafkaFuture<T> answer, Duration timeout) {
        try {
            return Optional.of(TopicAdmin.await(kafka, answer, timeout));
        } catch (KafkaUnreachableException e) {
            if (e.getCause() instanceof AuthorizationException || e.getCause() instanceof PolicyViolationException) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
