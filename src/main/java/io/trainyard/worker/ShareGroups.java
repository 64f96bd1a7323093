package io.trainyard.worker;

import io.trainyard.topics.Brokers;
import io.trainyard.topics.KafkaUnreachableException;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ApiException;

final class ShareGroups {
    private static final System.Logger LOG = System.getLogger(ShareGroups.class.getName());
    private static final String OFFSET_RESET = "share.auto.offset.reset";
    private static final String LOCK_DURATION = "share.record.lock.duration.ms";

    /// The duration of a command's lock: the shortest that brokers allow by default. A claim takes well under a
    /// second.
    private static final String LOCK_MILLIS = "15000";

    private static final String DELIVERY_LIMIT = "share.delivery.count.limit";

    /// The most that brokers allow by default. Kafka's default of 5 is soon used up if several workers die in
    /// sequence.
    private static final int MAX_DELIVERIES = 10;

    /// Kafka's default, for brokers older than 4.3, which do not report it.
    private static final int UNKNOWN_DELIVERY_LIMIT = 5;

    private ShareGroups() {}

    /// Configures the groups: start at the oldest command (Kafka's default is the newest), a short lock so that
    /// a dead worker's command is soon delivered to another, and as many deliveries as the brokers allow.
    ///
    /// @return how often a command is delivered before the brokers drop it silently
    /// @throws io.trainyard.topics.KafkaUnreachableException if the brokers do not answer in time or refuse
    static int configure(Brokers kafka, String prefix, Duration timeout) {
        List<ConfigResource> groups = Topic.COMMANDS.stream()
                .map(topic -> new ConfigResource(ConfigResource.Type.GROUP, topic.claimGroup(prefix)))
                .toList();
        try (Admin admin = kafka.admin(timeout)) {
            var needed = set(admin, groups, Map.of(OFFSET_RESET, "earliest", LOCK_DURATION, LOCK_MILLIS));
            var _ = TopicAdmin.await(kafka, needed, timeout);
            try {
                var controlled = set(admin, groups, Map.of(DELIVERY_LIMIT, Integer.toString(MAX_DELIVERIES)));
                var _ = TopicAdmin.await(kafka, controlled, timeout);
                return MAX_DELIVERIES;
            } catch (KafkaUnreachableException e) {
                if (e.getCause() instanceof ApiException refusal) { // the brokers are older than 4.3, or deny it
                    int limit = deliveryLimit(TopicAdmin.await(
                            kafka, admin.describeConfigs(groups).all(), timeout));
                    if (limit < MAX_DELIVERIES) {
                        LOG.log(
                                System.Logger.Level.WARNING,
                                "the brokers deliver a command {0} times and then drop it; needed are {1}. Upgrade them to Kafka 4.3 or newer, or set group.share.delivery.count.limit={1} at all of them: {2}",
                                limit,
                                MAX_DELIVERIES,
                                refusal);
                    }
                    return limit;
                }
                throw e;
            }
        }
    }

    private static KafkaFuture<Void> set(Admin admin, List<ConfigResource> groups, Map<String, String> settings) {
        List<AlterConfigOp> all = settings.entrySet().stream()
                .map(setting -> new ConfigEntry(setting.getKey(), setting.getValue()))
                .map(entry -> new AlterConfigOp(entry, AlterConfigOp.OpType.SET))
                .toList();
        return admin.incrementalAlterConfigs(groups.stream().collect(Collectors.toMap(group -> group, _ -> all)))
                .all();
    }

    private static int deliveryLimit(Map<ConfigResource, Config> groups) {
        return groups.values().stream()
                .map(group -> group.get(DELIVERY_LIMIT))
                .mapToInt(limit -> limit == null || limit.value() == null
                        ? UNKNOWN_DELIVERY_LIMIT
                        : Integer.parseInt(limit.value()))
                .min()
                .orElse(UNKNOWN_DELIVERY_LIMIT);
    }
}
