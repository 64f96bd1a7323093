package io.trainyard.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.broker.TestBroker;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class TopicAdminTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Test
    void createsWhatIsMissingAndLeavesWhatIsThere() {
        String prefix = "topic-admin-test.";
        try (Admin admin = TopicAdmin.open(TestBroker.address(), PATIENCE)) {
            NewTopic mine =
                    new NewTopic(Topic.STEPS.name(prefix), 3, (short) 1).configs(Map.of("retention.ms", "1000"));
            TopicAdmin.await(
                    TestBroker.address(), admin.createTopics(List.of(mine)).all(), PATIENCE);

            TopicAdmin.createMissing(TestBroker.address(), prefix, PATIENCE);
            TopicAdmin.createMissing(TestBroker.address(), prefix, PATIENCE);

            assertThat(setting(admin, Topic.STEPS.name(prefix), "retention.ms")).isEqualTo("1000");
            for (Topic topic : Topic.values()) {
                if (topic != Topic.STEPS) {
                    topic.settings()
                            .forEach((key, value) -> assertThat(setting(admin, topic.name(prefix), key))
                                    .as("%s of %s", key, topic)
                                    .isEqualTo(value));
                }
            }
        }
    }

    @Test
    void saysThatKafkaDoesNotAnswer() throws IOException {
        String nobody;
        try (ServerSocket free = new ServerSocket(0)) {
            nobody = "localhost:" + free.getLocalPort();
        }
        assertThatThrownBy(() -> TopicAdmin.createMissing(nobody, "t.", Duration.ofMillis(500)))
                .isInstanceOf(KafkaUnreachableException.class)
                .hasMessageContainingAll(nobody, "--kafka");
    }

    @Test
    void saysThatAnAddressIsNone() {
        for (String wrong : List.of("no-such-host.invalid:9092", "localhost", "", "localhost:port")) {
            assertThatThrownBy(() -> TopicAdmin.open(wrong, Duration.ofSeconds(1)))
                    .as(wrong)
                    .isInstanceOf(KafkaUnreachableException.class)
                    .hasMessageContaining("--kafka");
        }
    }

    /// A broker may take a while to hear of a topic that was just made.
    private static String setting(Admin admin, String topic, String key) {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        var all = Awaitility.await(topic)
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(
                        () -> TopicAdmin.await(
                                TestBroker.address(),
                                admin.describeConfigs(List.of(resource)).all(),
                                PATIENCE),
                        Objects::nonNull);
        return Objects.requireNonNull(all.get(resource)).get(key).value();
    }
}
