package io.trainyard.worker;

import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

/// The share groups that workers claim commands through, one for each topic of commands.
final class ShareGroups {
    private static final String OFFSET_RESET = "share.auto.offset.reset";
    private static final String DELIVERY_LIMIT = "share.delivery.count.limit";

    /// Kafka's default, for brokers older than 4.3, which do not tell.
    private static final int UNKNOWN_DELIVERY_LIMIT = 5;

    private ShareGroups() {}

    /// Makes the groups begin with the oldest command; Kafka's default is to pass over all that were there before the
    /// group.
    ///
    /// @return how often a command is delivered before the brokers drop it silently
    /// @throws io.trainyard.topics.KafkaUnreachableException if the brokers do not answer in time or refuse
    static int configure(String kafka, String prefix, Duration timeout) {
        List<ConfigResource> groups = Topic.COMMANDS.stream()
                .map(topic -> new ConfigResource(ConfigResource.Type.GROUP, topic.claimGroup(prefix)))
                .toList();
        List<AlterConfigOp> earliest =
                List.of(new AlterConfigOp(new ConfigEntry(OFFSET_RESET, "earliest"), AlterConfigOp.OpType.SET));
        try (Admin admin = TopicAdmin.open(kafka, timeout)) {
            var set = admin.incrementalAlterConfigs(
                    groups.stream().collect(Collectors.toMap(group -> group, _ -> earliest)));
            TopicAdmin.await(kafka, set.all(), timeout);
            return TopicAdmin.await(kafka, admin.describeConfigs(groups).all(), timeout).values().stream()
                    .mapToInt(ShareGroups::deliveryLimit)
                    .min()
                    .orElse(UNKNOWN_DELIVERY_LIMIT);
        }
    }

    private static int deliveryLimit(Config config) {
        ConfigEntry limit = config.get(DELIVERY_LIMIT);
        return limit == null || limit.value() == null ? UNKNOWN_DELIVERY_LIMIT : Integer.parseInt(limit.value());
    }
}
