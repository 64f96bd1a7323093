package io.trainyard.topics;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Slow;
import io.trainyard.broker.SecureBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Every kind of client on a broker with authentication and TLS, and the messages after a refusal.
@Slow
class SecureKafkaTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String PREFIX = SecureBroker.PREFIX;

    @TempDir
    private static Path folder;

    private static SecureBroker kafka;

    @BeforeAll
    static void start() throws Exception {
        kafka = SecureBroker.shared();
        kafka.addUsers("nobody");
        kafka.allow(List.of(
                everything(SecureBroker.USER, ResourceType.TOPIC, PREFIX),
                everything(SecureBroker.USER, ResourceType.GROUP, PREFIX),
                everything(SecureBroker.CLIENT, ResourceType.TOPIC, PREFIX),
                everything(SecureBroker.CLIENT, ResourceType.GROUP, PREFIX)));
    }

    @BeforeEach
    void clearAllowedUrls() {
        System.clearProperty("org.apache.kafka.sasl.oauthbearer.allowed.urls");
    }

    private static AclBinding everything(String user, ResourceType type, String prefix) {
        return new AclBinding(
                new ResourcePattern(type, prefix, PatternType.PREFIXED),
                new AccessControlEntry("User:" + user, "*", AclOperation.ALL, AclPermissionType.ALLOW));
    }

    @Test
    void reportsAWrongPasswordWithoutIt() throws Exception {
        String wrong = "not-the-password";
        Path file = kafka.scram(SecureBroker.USER, wrong);
        assertThatThrownBy(() -> TopicAdmin.createMissing(kafka.as(file), PREFIX, SOON))
                .isInstanceOf(KafkaUnreachableException.class)
                .hasMessageContainingAll(
                        kafka.address(), "rejects the credentials", file.toString(), "sasl.jaas.config")
                .hasMessageNotContaining(wrong);
    }

    @Test
    void reportsTheMissingAcl() throws Exception {
        Brokers brokers = kafka.as(kafka.scram("nobody", SecureBroker.PASSWORD));
        assertThatThrownBy(() -> TopicAdmin.createMissing(brokers, PREFIX, SOON))
                .isInstanceOf(KafkaUnreachableException.class)
                .hasMessageContainingAll(kafka.address(), "does not allow it", PREFIX, "docs/how-to/secure.md");
    }

    @Test
    void reportsAnUntrustedBroker() throws Exception {
        Path file = Files.writeString(folder.resolve("trusts-others.properties"), "security.protocol=SSL\n");
        assertThatThrownBy(() -> TopicAdmin.createMissing(kafka.as(file), PREFIX, SOON))
                .isInstanceOf(KafkaUnreachableException.class)
                .hasMessageContainingAll(kafka.address(), "TLS", "ssl.truststore.location", file.toString());
    }

    @Test
    void reportsAWrongTrustStorePasswordWithoutIt() throws Exception {
        Path right = kafka.scram(SecureBroker.USER, SecureBroker.PASSWORD);
        Path wrong = Files.writeString(
                folder.resolve("wrong-store.properties"),
                Files.readString(right) + "\nssl.truststore.password=quite-another\n");
        assertThatThrownBy(() -> TopicAdmin.createMissing(kafka.as(wrong), PREFIX, SOON))
                .isInstanceOf(KafkaConfigException.class)
                .hasMessageContainingAll(wrong.toString(), "password was incorrect", "ssl.truststore.password")
                .hasMessageNotContaining("quite-another");
    }

    @Test
    void detectsPortsWithAndWithoutTls() throws Exception {
        assertThatThrownBy(() -> PortProbe.requireKafka(Brokers.at(kafka.address())))
                .isInstanceOf(KafkaUnreachableException.class)
                .hasMessageContainingAll(kafka.address(), "the port uses TLS", "--kafka-config");
        PortProbe.requireKafka(kafka.anyDoor());

        Path file = kafka.scram(SecureBroker.USER, SecureBroker.PASSWORD);
        Brokers wrongPort = Brokers.at(kafka.anyDoor().address(), Optional.of(file));
        assertThatThrownBy(() -> {
                    try {
                        TopicAdmin.createMissing(wrongPort, PREFIX, Duration.ofSeconds(2));
                    } catch (KafkaUnreachableException e) {
                        throw PortProbe.explained(e);
                    }
                })
                .isInstanceOf(KafkaUnreachableException.class)
                .hasMessageContainingAll(wrongPort.address(), "the port does not use TLS", file.toString());
    }

    /// The broker's certificate is trusted, but it has another host name.
    @Test
    void refusesACertificateForAnotherHost() {
        Brokers elsewhere = Brokers.at(
                kafka.address().replace("localhost", "127.0.0.1"),
                Optional.of(kafka.scram(SecureBroker.USER, SecureBroker.PASSWORD)));
        assertThatThrownBy(() -> TopicAdmin.createMissing(elsewhere, PREFIX, SOON))
                .isInstanceOf(KafkaUnreachableException.class)
                .hasMessageContainingAll(elsewhere.address(), "TLS", "127.0.0.1", "certificate is for that host");
    }

    @Test
    void reportsAnUnavailableToken() throws Exception {
        assertNoToken("(endpoint.url=https://localhost:[0-9]+)\\S*", "$1/nothing-here", "405");
    }

    /// Trust for the token provider is configured separately: a client that trusts only the broker does not
    /// send it the secret.
    @Test
    void sendsNoSecretToAnUntrustedProvider() throws Exception {
        assertNoToken("provider-trusted", "broker-trusted", "PKIX", "ssl.truststore.location=");
    }

    @Test
    void sendsNoSecretToAProviderWithAnotherHostName() throws Exception {
        assertNoToken("endpoint.url=https://localhost", "endpoint.url=https://127.0.0.1", "127.0.0.1");
    }

    private static void assertNoToken(String regex, String replacement, String... words) throws Exception {
        Path file = Files.writeString(
                folder.resolve("no-token-%d.properties".formatted(regex.hashCode())),
                Files.readString(kafka.token()).replaceAll(regex, replacement)
                        + "\nsasl.login.retry.backoff.max.ms=200\n");
        assertThatThrownBy(() -> TopicAdmin.createMissing(kafka.as(file), PREFIX, SOON))
                .isInstanceOf(KafkaUnreachableException.class)
                .hasMessageContainingAll("no token", kafka.address(), file.toString())
                .hasMessageContainingAll(words)
                .hasMessageNotContainingAny("\n", "Caused by", "\tat ")
                .hasMessageNotContainingAny(SecureBroker.CLIENT_SECRET, SecureBroker.STORE_PASSWORD);
    }
}
