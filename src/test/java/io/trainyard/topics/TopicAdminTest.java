package io.trainyard.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Patience;
import io.trainyard.Ports;
import io.trainyard.broker.TestBroker;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;

class TopicAdminTest {
    @Test
    void createsMissingTopicsAndKeepsExistingOnes() {
        String prefix = "topic-admin-test.";
        try (Admin admin = TestBroker.brokers().admin(Patience.LIMIT)) {
            NewTopic mine =
                    new NewTopic(Topic.STEPS.name(prefix), 3, (short) 1).configs(Map.of("retention.ms", "1000"));
            TopicAdmin.await(
                    TestBroker.brokers(), admin.createTopics(List.of(mine)).all(), Patience.LIMIT);

            TopicAdmin.createMissing(TestBroker.brokers(), prefix, Patience.LIMIT);
            TopicAdmin.createMissing(TestBroker.brokers(), prefix, Patience.LIMIT);

            Map<Topic, Config> settings = settings(admin, prefix);
            assertThat(settings).hasSameSizeAs(Topic.values());
            settings.forEach((topic, actual) -> {
                Map<String, String> expected = topic == Topic.STEPS ? Map.of("retention.ms", "1000") : topic.settings();
                expected.forEach((key, value) -> assertThat(actual.get(key).value())
                        .as("%s of %s", key, topic)
                        .isEqualTo(value));
            });
        }
    }

    @Test
    void reportsAnUnreachableBroker() throws IOException {
        try (Socket silent = Ports.silent()) {
            String address = "localhost:" + silent.getLocalPort();
            assertThatThrownBy(() -> TopicAdmin.createMissing(Brokers.at(address), "t.", Duration.ofMillis(500)))
                    .isInstanceOf(KafkaUnreachableException.class)
                    .hasMessageContainingAll(address, "--kafka");
        }
    }

    @Test
    void reportsAnInvalidAddress() {
        for (String wrong : List.of("no-such-host.invalid:9092", "localhost", "", "localhost:port")) {
            assertThatThrownBy(() -> Brokers.at(wrong).admin(Duration.ofSeconds(1)))
                    .as(wrong)
                    .isInstanceOf(KafkaUnreachableException.class)
                    .hasMessageContaining("--kafka");
        }
    }

    /// A new topic is not known to every broker at once.
    private static Map<Topic, Config> settings(Admin admin, String prefix) {
        Map<ConfigResource, Topic> topics = Arrays.stream(Topic.values())
                .collect(Collectors.toMap(
                        topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic.name(prefix)), topic -> topic));
        Map<ConfigResource, Config> settings = Patience.await("the topics' settings")
                .ignoreExceptions()
                .until(
                        () -> TopicAdmin.await(
                                TestBroker.brokers(),
                                admin.describeConfigs(topics.keySet()).all(),
                                Patience.LIMIT),
                        Objects::nonNull);
        return settings.entrySet().stream()
                .collect(Collectors.toMap(
                        entry -> Objects.requireNonNull(topics.get(entry.getKey())), Map.Entry::getValue));
    }
}
