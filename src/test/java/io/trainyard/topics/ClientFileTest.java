package io.trainyard.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The operator's file of Kafka settings: allowed settings, and messages about others.
class ClientFileTest {
    private static final String SECRET = "tr0ub4dor";

    @TempDir
    Path folder;

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("kafka.properties"), text);
    }

    @Test
    void acceptsFilesOfKafkasTools() throws IOException {
        Path file = file("""
                # a comment
                security.protocol = SASL_SSL
                sasl.mechanism=SCRAM-SHA-256
                sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\
                    username="a" password="0042";
                ssl.endpoint.identification.algorithm=
                client.dns.lookup=use_all_dns_ips
                """);
        assertThat(Brokers.at("b:1", Optional.of(file)).connection())
                .containsEntry("security.protocol", "SASL_SSL")
                .containsEntry("ssl.endpoint.identification.algorithm", "")
                .containsEntry("bootstrap.servers", "b:1")
                .containsEntry(
                        "sasl.jaas.config",
                        "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"a\" password=\"0042\";");
    }

    /// One setting of each kind that guarantees depend on. Settings that not all clients share are refused in
    /// the same way.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "acks",
                "enable.idempotence",
                "group.id",
                "isolation.level",
                "key.deserializer",
                "value.serializer",
                "auto.offset.reset",
                "max.in.flight.requests.per.connection",
                "delivery.timeout.ms",
                "max.poll.records",
                "share.acknowledgement.mode",
                "enable.auto.commit",
                "partitioner.class",
                "transactional.id",
                "client.id",
                "interceptor.classes",
                "request.timeout.ms",
                "bootstrap.servers"
            })
    void rejectsSettingsThatTrainyardSets(String setting) throws IOException {
        Path file = file("security.protocol=SSL\n" + setting + "=1\n");
        assertThatThrownBy(() -> ClientFile.read(file))
                .isInstanceOf(KafkaConfigException.class)
                .hasMessageContainingAll(file.toString(), setting + " is ", "remove the line");
    }

    @ParameterizedTest
    @CsvSource({"sasl.mechansim,sasl.mechanism", "securityprotocol,security.protocol", "zookeeper.connect,"})
    void reportsUnknownSettings(String wrong, String meant) throws IOException {
        Path file = file(wrong + "=" + SECRET + "\n");
        assertThatThrownBy(() -> ClientFile.read(file))
                .isInstanceOf(KafkaConfigException.class)
                .hasMessageContainingAll(file.toString(), "\"" + wrong + "\"", "security.protocol")
                .hasMessageNotContaining(SECRET)
                .satisfies(e -> assertThat(String.valueOf(e.getMessage()).contains("(is it "))
                        .isEqualTo(meant != null))
                .hasMessageContaining(meant == null ? "allowed" : "is it " + meant);
    }

    @Test
    void reportsUnreadableFiles() throws IOException {
        Path missing = folder.resolve("missing.properties");
        assertThatThrownBy(() -> ClientFile.read(missing))
                .isInstanceOf(KafkaConfigException.class)
                .hasMessageContainingAll(missing.toString(), "does not exist", "--kafka-config");
        assertThatThrownBy(() -> ClientFile.read(folder)).hasMessageContainingAll(folder.toString(), "folder");
        Path odd = file("security.protocol=\\u12\n");
        assertThatThrownBy(() -> ClientFile.read(odd)).hasMessageContainingAll(odd.toString(), "cannot be read");
        Path large = file("#" + "x".repeat(1 << 20));
        assertThatThrownBy(() -> ClientFile.read(large)).hasMessageContainingAll(large.toString(), "1048576");
    }

    @Test
    void reportsInvalidValues() throws IOException {
        Path file = file("security.protocol=TLS\n");
        assertThatThrownBy(() -> ClientFile.read(file))
                .isInstanceOf(KafkaConfigException.class)
                .hasMessageContainingAll(file.toString(), "security.protocol", "TLS");
    }

    @Test
    void reportsUnusableSettingsWithoutPasswords() throws Exception {
        Path store = Files.write(folder.resolve("trust.p12"), new byte[] {1, 2, 3});
        Path noStore = file("security.protocol=SSL\nssl.truststore.location=%s\nssl.truststore.password=%s\n"
                .formatted(store, SECRET));
        assertUnusable(noStore, store.toString());

        Path noModule = file("""
                security.protocol=SASL_SSL
                sasl.mechanism=PLAIN
                sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
                username="a" password="%s" %s
                """.formatted(SECRET, SECRET));
        assertUnusable(noModule, "JAAS");
    }

    private static void assertUnusable(Path file, String... words) {
        Brokers brokers = Brokers.at("localhost:1", Optional.of(file));
        assertThatThrownBy(() -> brokers.admin(Duration.ofSeconds(1)).close())
                .isInstanceOf(KafkaConfigException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContainingAll(words)
                .hasMessageNotContaining(SECRET)
                .hasNoCause();
    }

    @Test
    void resolvesValueProviders() throws IOException {
        Path secrets = Files.writeString(folder.resolve("secrets"), "store=" + SECRET + "\n");
        String providers = "config.providers=file\n"
                + "config.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider\n";
        Path file = file(providers + "ssl.key.password=${file:%s:store}\n".formatted(secrets));
        assertThat(ClientFile.read(file).hide("it was " + SECRET)).isEqualTo("it was [hidden]");

        Path wrong = file(providers + "ssl.key.password=${file:%s:other}\n".formatted(secrets));
        assertThatThrownBy(() -> ClientFile.read(wrong))
                .isInstanceOf(KafkaConfigException.class)
                .hasMessageContainingAll(wrong.toString(), "ssl.key.password", ":other}");
    }

    /// To this machine, over TLS, or with an explicit permission.
    @ParameterizedTest
    @CsvSource({
        "http://people.example.org/token, '', false",
        "HTTP://people.example.org:8080/token, https://people.example.org/token, false",
        "http://localhost.example.org/token, '', false",
        "http://127.example.org/token, '', false",
        "http://people.example.org/token, 'https://a/b,http://people.example.org/token', true",
        "https://people.example.org/token, '', true",
        "http://localhost:8080/token, '', true",
        "http://127.0.0.1/token, '', true",
        "http://[::1]/token, '', true"
    })
    void refusesToSendAClientSecretUnencrypted(String url, String allowedUrls, boolean allowed) throws IOException {
        Path file = file("""
                security.protocol=SASL_SSL
                sasl.mechanism=OAUTHBEARER
                sasl.oauthbearer.token.endpoint.url=%s
                sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required \
                    clientId="a" clientSecret="%s";
                """.formatted(url, SECRET));
        String property = "org.apache.kafka.sasl.oauthbearer.allowed.urls";
        String before = System.getProperty(property);
        try {
            if (allowedUrls.isEmpty()) {
                System.clearProperty(property);
            } else {
                System.setProperty(property, allowedUrls);
            }
            if (allowed) {
                assertThat(ClientFile.read(file).path()).isEqualTo(file);
                assertThat(System.getProperty(property)).isEqualTo(allowedUrls.isEmpty() ? url : allowedUrls);
            } else {
                assertThatThrownBy(() -> ClientFile.read(file))
                        .isInstanceOf(KafkaConfigException.class)
                        .hasMessageContainingAll(
                                file.toString(), "token.endpoint.url", "unencrypted", "https://", property)
                        .hasMessageNotContaining(SECRET);
            }
        } finally {
            if (before == null) {
                System.clearProperty(property);
            } else {
                System.setProperty(property, before);
            }
        }
    }

    @Test
    void textOmitsTheContent() throws IOException {
        Path file = file("ssl.key.password=" + SECRET + "\n");
        assertThat(Brokers.at("b:1", Optional.of(file)) + " " + ClientFile.read(file))
                .doesNotContain(SECRET);
    }
}
