package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.broker.TestBroker;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;

class ShareGroupsTest {
    /// Kafka's default is 5.
    @Test
    void usesTheDeliveryLimitOfTheBrokers() {
        String prefix = "share-groups.";
        TopicAdmin.createMissing(TestBroker.brokers(), prefix, Patience.LIMIT);
        Brokers kafka = TestBroker.brokers();
        assertThat(ShareGroups.configure(kafka, prefix, Patience.LIMIT)).isEqualTo(10);
        ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, Topic.COMMANDS_NORMAL.claimGroup(prefix));
        try (Admin admin = kafka.admin(Patience.LIMIT)) {
            Patience.await("the group's own limit")
                    .until(() -> Patience.get(
                                    admin.describeConfigs(List.of(group)).all())
                            .values()
                            .stream()
                            .allMatch(config -> config.get("share.delivery.count.limit")
                                    .value()
                                    .equals("10")));
        }
    }
}
