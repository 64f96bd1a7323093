package io.trainyard.topics;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.broker.TestBroker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;

class TopicCheckTest {
    private static final String PREFIX = "topic-check-test.";

    /// As an operator may create them, with the brokers' default retention.
    @Test
    void correctsSettingsThatCanLoseJobs() throws Exception {
        Brokers kafka = TestBroker.brokers();
        try (Admin admin = kafka.admin(Patience.LIMIT)) {
            List<NewTopic> found = List.of(
                    new NewTopic(Topic.COMMANDS_NORMAL.name(PREFIX), 1, (short) 1)
                            .configs(Map.of("retention.ms", "604800000", "retention.bytes", "1000000")),
                    new NewTopic(Topic.OWNERSHIP.name(PREFIX), 1, (short) 1)
                            .configs(Map.of("cleanup.policy", "delete")),
                    new NewTopic(Topic.STEPS.name(PREFIX), 1, (short) 1).configs(Map.of("retention.ms", "1000")));
            TopicAdmin.await(kafka, admin.createTopics(found).all(), Patience.LIMIT);

            for (NewTopic topic : found) { // a new topic is not known to every broker at once
                Patience.await(topic.name())
                        .until(() -> Patience.get(admin.listTopics().names()).contains(topic.name()));
            }

            TopicCheck.correct(kafka, PREFIX, Patience.LIMIT);
            TopicAdmin.createMissing(kafka, PREFIX, Patience.LIMIT);

            await(admin, Topic.COMMANDS_NORMAL, "retention.ms", "-1");
            await(admin, Topic.COMMANDS_NORMAL, "retention.bytes", "-1");
            await(admin, Topic.COMMANDS_NORMAL, "max.message.bytes", Integer.toString(Topic.MAX_RECORD_BYTES));
            await(admin, Topic.OWNERSHIP, "cleanup.policy", "compact");
            await(admin, Topic.OWNERSHIP, "message.timestamp.type", "LogAppendTime");
            assertThat(value(admin, Topic.STEPS, "retention.ms")).isEqualTo("1000");
        }
    }

    private static void await(Admin admin, Topic topic, String setting, String value) {
        Patience.await(setting + " of " + topic)
                .until(() -> value(admin, topic, setting).equals(value));
    }

    private static String value(Admin admin, Topic topic, String setting) throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic.name(PREFIX));
        return Patience.get(Objects.requireNonNull(
                        admin.describeConfigs(List.of(resource)).values().get(resource)))
                .get(setting)
                .value();
    }
}
