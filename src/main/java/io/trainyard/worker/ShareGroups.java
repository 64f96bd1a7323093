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

/// The share groups that workers claim commands through, one for each topic of commands.
final class ShareGroups {
    private static final System.Logger LOG = System.getLogger(ShareGroups.class.getName());
    private static final String OFFSET_RESET = "share.auto.offset.reset";
    private static final String LOCK_DURATION = "share.record.lock.duration.ms";

    /// How long a command is one worker's that was handed it: the least that brokers allow unless told otherwise. A
    /// claim takes well under a second.
    private static final String LOCK_MILLIS = "15000";

    private static final String DELIVERY_LIMIT = "share.delivery.count.limit";

    /// The most that brokers allow unless told otherwise: their default, 5, is soon used up where workers die one
    /// after the other.
    private static final int MAX_DELIVERIES = 10;

    /// Kafka's default, for brokers older than 4.3, which do not tell.
    private static final int UNKNOWN_DELIVERY_LIMIT = 5;

    private ShareGroups() {}

    /// Makes the groups begin with the oldest command, where Kafka's default is to pass over all that were there
    /// before the group, hand a command to another worker soon after one has taken it and died, and do so as
    /// often as brokers let it.
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
                var wished = set(admin, groups, Map.of(DELIVERY_LIMIT, Integer.toString(MAX_DELIVERIES)));
                var _ = TopicAdmin.await(kafka, wished, timeout);
                return MAX_DELIVERIES;
            } catch (KafkaUnreachableException e) {
                if (e.getCause() instanceof ApiException refusal) { // they are older than 4.3, or allow less
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
