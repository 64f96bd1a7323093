package io.trainyard.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.TopicAdmin;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import no.nav.security.mock.oauth2.MockOAuth2Server;
import no.nav.security.mock.oauth2.OAuth2Config;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;

/// A real broker that lets nobody in who does not say who it is over TLS, by SCRAM or by a token of a real provider,
/// and lets nobody do what no ACL allows. Through another door the test does as it likes.
public final class SecureBroker implements AutoCloseable {
    public static final String USER = "alice";
    public static final String PASSWORD = "0042"; // digits: it must not become a number

    /// One that is found where it is told.
    public static final String LONG_PASSWORD = "correct-horse-battery-staple";

    /// Of the client that the provider knows, as the token names it.
    public static final String CLIENT = "worker-of-the-provider";

    public static final String CLIENT_SECRET = "what-only-the-provider-knows";

    public static final String STORE_PASSWORD = "of the stores";
    private static final String ISSUER = "fleet";

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

    /// @param folder for its data, its keys, and the files of its clients
    public static SecureBroker start(Path folder) throws Exception {
        makeStores(folder);
        MockOAuth2Server provider =
                new MockOAuth2Server(OAuth2Config.Companion.fromJson("{\"httpServer\": \"NettyWrapper\"}"));
        provider.start();
        int clear = freePort();
        int secure = freePort();
        String keys = provider.jwksUrl(ISSUER).toString();
        System.setProperty("org.apache.kafka.sasl.oauthbearer.allowed.urls", keys); // for the broker, of this process
        EmbeddedBroker broker = EmbeddedBroker.start(
                folder.resolve("kafka"), clear, "unused.", settings(folder, keys, provider, clear, secure, freePort()));
        System.clearProperty("org.apache.kafka.sasl.oauthbearer.allowed.urls"); // a client sees to it by itself
        SecureBroker started = new SecureBroker(folder, provider, broker, secure);
        started.addUser(USER);
        return started;
    }

    private static Map<String, String> settings(
            Path folder, String keys, MockOAuth2Server provider, int clear, int secure, int controller) {
        Map<String, String> settings = new HashMap<>(TestBroker.settings(Patience.LIMIT));
        settings.putAll(Map.of(
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
                "User:ANONYMOUS", // the other door
                "allow.everyone.if.no.acl.found",
                "false"));
        String listener = "listener.name.secure.";
        settings.putAll(Map.of(
                listener + "sasl.enabled.mechanisms",
                "SCRAM-SHA-512,OAUTHBEARER",
                listener + "ssl.keystore.location",
                folder.resolve("broker.p12").toString(),
                listener + "ssl.keystore.password",
                STORE_PASSWORD,
                listener + "ssl.keystore.type",
                "PKCS12",
                listener + "scram-sha-512.sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required;",
                listener + "oauthbearer.sasl.jaas.config",
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;",
                listener + "oauthbearer.sasl.server.callback.handler.class",
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler",
                listener + "oauthbearer.sasl.oauthbearer.jwks.endpoint.url",
                keys,
                listener + "oauthbearer.sasl.oauthbearer.expected.audience",
                "kafka",
                listener + "oauthbearer.sasl.oauthbearer.expected.issuer",
                provider.issuerUrl(ISSUER).toString()));
        return settings;
    }

    private static void makeStores(Path folder) throws Exception {
        Path keys = folder.resolve("broker.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "broker",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        keys.toString(),
                        "-storepass",
                        STORE_PASSWORD)
                .redirectErrorStream(true)
                .start();
        assertThat(keytool.waitFor(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        KeyStore own = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keys)) {
            own.load(in, STORE_PASSWORD.toCharArray());
        }
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("broker", own.getCertificate("broker"));
        try (OutputStream out = Files.newOutputStream(folder.resolve("trusted.p12"))) {
            trusted.store(out, STORE_PASSWORD.toCharArray());
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }

    /// `host:port` of the door that asks.
    public String address() {
        return "localhost:" + port;
    }

    /// The other door, where anybody may do anything.
    public Brokers anyDoor() {
        return Brokers.at(broker.address());
    }

    /// Who comes with a file.
    public Brokers as(Path file) {
        return Brokers.at(address(), Optional.of(file));
    }

    /// Lets somebody in, whose password is [#PASSWORD].
    public void addUser(String name) {
        addUser(name, PASSWORD);
    }

    /// Lets somebody in.
    public void addUser(String name, String password) {
        try (Admin admin = anyDoor().admin(Patience.LIMIT)) {
            var added = admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                    name, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), password)));
            TopicAdmin.await(anyDoor(), added.all(), Patience.LIMIT);
        }
    }

    /// A client's file for SCRAM over TLS.
    public Path scram(String user, String password) throws IOException {
        return write("scram-" + user + password.hashCode(), """
                sasl.mechanism=SCRAM-SHA-512
                sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \
                username="%s" password="%s";
                """.formatted(user, password));
    }

    /// A client's file for a token of the provider.
    public Path token() throws IOException {
        return write("token", """
                sasl.mechanism=OAUTHBEARER
                sasl.oauthbearer.token.endpoint.url=%s
                sasl.login.callback.handler.class=\
                org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler
                sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required \
                clientId="%s" clientSecret="%s" scope="kafka";
                """.formatted(provider.tokenEndpointUrl(ISSUER), CLIENT, CLIENT_SECRET));
    }

    private Path write(String name, String sasl) throws IOException {
        return Files.writeString(folder.resolve(name + ".properties"), """
                security.protocol=SASL_SSL
                ssl.truststore.location=%s
                ssl.truststore.password=%s
                ssl.truststore.type=PKCS12
                %s""".formatted(
                        folder.resolve("trusted.p12"), STORE_PASSWORD, sasl));
    }

    @Override
    public void close() {
        broker.close();
        provider.shutdown();
    }
}
