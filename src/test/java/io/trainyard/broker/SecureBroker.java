package io.trainyard.broker;

import io.trainyard.Patience;
import io.trainyard.Ports;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.KafkaRole;
import io.trainyard.topics.TopicAdmin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import no.nav.security.mock.oauth2.MockOAuth2Server;
import no.nav.security.mock.oauth2.OAuth2Config;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/// A real broker with authentication over TLS, by SCRAM or by a token of a real provider, and with ACLs. A
/// second listener gives tests unrestricted access.
public final class SecureBroker implements AutoCloseable {
    public static final String USER = "alice";
    public static final String PASSWORD = "0042"; // digits, which must not become a number

    /// Long enough that a search finds it in any output.
    public static final String LONG_PASSWORD = "correct-horse-battery-staple";

    /// The client's name in the provider's token.
    public static final String CLIENT = "worker-of-the-provider";

    public static final String CLIENT_SECRET = "what-only-the-provider-knows";

    public static final String STORE_PASSWORD = "of the stores";
    /// The prefix of the topics that exist from the beginning.
    public static final String PREFIX = "secure.";

    /// Kafka's system property for permitted token and key URLs.
    private static final String ALLOWED_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls";

    private static final String ISSUER = "fleet";

    /// The owner of a key pair. Trusting one owner does not mean trusting the other.
    private static final String BROKER = "broker";

    private static final String PROVIDER = "provider";

    private final Path folder;
    private final MockOAuth2Server provider;
    private final EmbeddedBroker broker;
    private final int port;

    private SecureBroker(Path folder, MockOAuth2Server provider, EmbeddedBroker broker, int port) {
        this.folder = folder;
        this.provider = provider;
        this.broker = broker;
        this.port = port;
    }

    /// Shared by all tests of single clients in this JVM: locks and sessions do not expire while a test waits.
    public static SecureBroker shared() {
        return Shared.BROKER;
    }

    /// Started at the first use.
    private static final class Shared {
        static final SecureBroker BROKER = started();

        private static SecureBroker started() {
            try {
                Path folder = Files.createTempDirectory("trainyard-secure-kafka");
                SecureBroker broker = start(folder, TestBroker.settings(TestBroker.NEVER));
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    broker.close();
                    TestBroker.delete(folder);
                }));
                return broker;
            } catch (Exception e) {
                throw new IllegalStateException("no broker that asks who one is", e);
            }
        }
    }

    /// A separate broker with the settings that a fleet's broker has.
    ///
    /// @param folder for its data, its keys, and the files of its clients
    public static SecureBroker startAsShipped(Path folder) throws Exception {
        return start(folder, Map.of());
    }

    private static SecureBroker start(Path folder, Map<String, String> more) throws Exception {
        TestKeys.make(folder, BROKER, STORE_PASSWORD);
        TestKeys.make(folder, PROVIDER, STORE_PASSWORD);
        OAuth2Config overTls = OAuth2Config.Companion.fromJson(
                """
                {"httpServer": {"type": "NettyWrapper", "ssl": {"keystoreFile": "%s", "keystoreType": "PKCS12",
                 "keystorePassword": "%s", "keyPassword": "%s"}}}
                """.formatted(TestKeys.keys(folder, PROVIDER), STORE_PASSWORD, STORE_PASSWORD));
        MockOAuth2Server provider = new MockOAuth2Server(overTls);
        provider.start();
        int clear = Ports.take();
        int secure = Ports.take();
        Path keys = Files.writeString(
                folder.resolve("keys.json"),
                overTls.getTokenProvider().publicJwkSet(ISSUER).toString());
        System.setProperty(ALLOWED_URLS, keys.toUri().toString()); // for the broker, which runs in this process
        Map<String, String> settings = new HashMap<>(more);
        settings.putAll(doors(clear, secure, Ports.take()));
        settings.putAll(secureDoor(
                folder, keys.toUri().toString(), provider.issuerUrl(ISSUER).toString()));
        EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), clear, PREFIX, settings);
        System.clearProperty(ALLOWED_URLS); // a client must set it itself
        SecureBroker started = new SecureBroker(folder, provider, broker, secure);
        started.addUsers(USER);
        return started;
    }

    private static Map<String, String> doors(int clear, int secure, int controller) {
        return Map.of(
                "listeners",
                "PLAINTEXT://localhost:%d,SECURE://localhost:%d,CONTROLLER://localhost:%d"
                        .formatted(clear, secure, controller),
                "advertised.listeners",
                "PLAINTEXT://localhost:%d,SECURE://localhost:%d".formatted(clear, secure),
                "controller.quorum.voters",
                "1@localhost:" + controller,
                "listener.security.protocol.map",
                "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL",
                "authorizer.class.name",
                "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "super.users",
                "User:ANONYMOUS", // the unrestricted listener
                "allow.everyone.if.no.acl.found",
                "false");
    }

    /// @param keys the location of the provider's public keys
    private static Map<String, String> secureDoor(Path folder, String keys, String issuer) {
        String listener = "listener.name.secure.";
        return Map.of(
                listener + "sasl.enabled.mechanisms",
                "SCRAM-SHA-512,OAUTHBEARER",
                listener + "ssl.keystore.location",
                TestKeys.keys(folder, BROKER).toString(),
                listener + "ssl.keystore.password",
                STORE_PASSWORD,
                listener + "ssl.keystore.type",
                "PKCS12",
                listener + "scram-sha-512.sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required;",
                listener + "oauthbearer.sasl.jaas.config",
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;",
                listener + "oauthbearer.sasl.oauthbearer.jwks.endpoint.url",
                keys,
                listener + "oauthbearer.sasl.server.callback.handler.class",
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler",
                listener + "oauthbearer.sasl.oauthbearer.expected.audience",
                "kafka",
                listener + "oauthbearer.sasl.oauthbearer.expected.issuer",
                issuer);
    }

    /// The options of a login module for the trusted certificates.
    private static String trusting(Path folder, String owner) {
        return "ssl.truststore.location=\"%s\" ssl.truststore.password=\"%s\" ssl.truststore.type=\"PKCS12\""
                .formatted(TestKeys.trusted(folder, owner), STORE_PASSWORD);
    }

    /// `host:port` of the restricted listener.
    public String address() {
        return "localhost:" + port;
    }

    /// The unrestricted listener.
    public Brokers anyDoor() {
        return Brokers.at(broker.address());
    }

    /// Connects with a client's file.
    public Brokers as(Path file) {
        return Brokers.at(address(), Optional.of(file));
    }

    /// Creates users with the password [#PASSWORD].
    public void addUsers(String... names) {
        addUsers(List.of(names), PASSWORD);
    }

    private void addUsers(Collection<String> names, String password) {
        List<UserScramCredentialAlteration> users = names.stream()
                .map(name -> (UserScramCredentialAlteration) new UserScramCredentialUpsertion(
                        name, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), password))
                .toList();
        try (Admin admin = anyDoor().admin(Patience.LIMIT)) {
            TopicAdmin.await(anyDoor(), admin.alterUserScramCredentials(users).all(), Patience.LIMIT);
        }
    }

    /// Creates a user for each role with the password [#LONG_PASSWORD] and the minimal ACLs.
    ///
    /// @param prefix of the fleet's topics
    /// @param name the user of each role
    public void admit(String prefix, Function<KafkaRole, String> name) {
        addUsers(Stream.of(KafkaRole.values()).map(name).toList(), LONG_PASSWORD);
        allow(Stream.of(KafkaRole.values())
                .flatMap(role -> acls(role, prefix, name.apply(role)).stream())
                .toList());
    }

    /// The ACLs of a role's grants, in the same order; the list is modifiable.
    public static List<AclBinding> acls(KafkaRole role, String prefix, String user) {
        return role.grants().stream()
                .map(grant -> new AclBinding(
                        grant.resource(prefix),
                        new AccessControlEntry("User:" + user, "*", grant.operation(), AclPermissionType.ALLOW)))
                .collect(Collectors.toCollection(ArrayList::new));
    }

    /// Returns when these ACLs, and all earlier changes, are in effect.
    public void allow(Collection<AclBinding> acls) {
        try (Admin admin = anyDoor().admin(Patience.LIMIT)) {
            TopicAdmin.await(anyDoor(), admin.createAcls(acls).all(), Patience.LIMIT);
            Patience.await("the ACLs")
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> TopicAdmin.await(
                                    anyDoor(),
                                    admin.describeAcls(AclBindingFilter.ANY).values(),
                                    Patience.LIMIT)
                            .containsAll(acls));
        }
    }

    /// Denies writes to a topic to a role [admitted][#admit] under its own name. The denial overrides allowed
    /// operations.
    public void denyWrite(KafkaRole role, String topic) {
        allow(List.of(writeDenied(role, topic)));
    }

    /// Removes that denial.
    public void undenyWrite(KafkaRole role, String topic) {
        try (Admin admin = anyDoor().admin(Patience.LIMIT)) {
            TopicAdmin.await(
                    anyDoor(),
                    admin.deleteAcls(List.of(writeDenied(role, topic).toFilter()))
                            .all(),
                    Patience.LIMIT);
        }
    }

    private static AclBinding writeDenied(KafkaRole role, String topic) {
        return new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                new AccessControlEntry("User:" + role.word(), "*", AclOperation.WRITE, AclPermissionType.DENY));
    }

    /// The client file of a role [admitted][#admit] under its own name.
    public Path scram(KafkaRole role) {
        return scram(role.word(), LONG_PASSWORD);
    }

    /// A client's file for SCRAM over TLS.
    public Path scram(String user, String password) {
        return write("scram-" + user + password.hashCode(), """
                sasl.mechanism=SCRAM-SHA-512
                sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \
                username="%s" password="%s";
                """.formatted(user, password));
    }

    /// A client's file for a token of the provider. It trusts the provider, and its user is not the broker's.
    public Path token() {
        return write("token", """
                sasl.mechanism=OAUTHBEARER
                sasl.oauthbearer.token.endpoint.url=%s
                sasl.login.callback.handler.class=\
                org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler
                sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required \
                clientId="%s" clientSecret="%s" scope="kafka" %s;
                """.formatted(
                        provider.tokenEndpointUrl(ISSUER), CLIENT, CLIENT_SECRET, trusting(folder, PROVIDER)));
    }

    private Path write(String name, String sasl) {
        try {
            return Files.writeString(folder.resolve(name + ".properties"), """
                    security.protocol=SASL_SSL
                    ssl.truststore.location=%s
                    ssl.truststore.password=%s
                    ssl.truststore.type=PKCS12
                    %s""".formatted(
                            TestKeys.trusted(folder, BROKER), STORE_PASSWORD, sasl));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        broker.close();
        provider.shutdown();
    }
}
