package io.trainyard.topics;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import javax.security.auth.login.LoginException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/// The brokers, and how one connects to them: every client of Kafka in Trainyard is made here, or is given
/// [#connection]. So what the operator's file says of TLS and of who one is holds for all of them.
public final class Brokers {
    private final String address;
    private final Optional<ClientFile> file;

    private Brokers(String address, Optional<ClientFile> file) {
        this.address = address;
        this.file = file;
    }

    /// Brokers that talk to everybody, in the clear.
    ///
    /// @param address `host:port` of a broker, or several with commas between them
    public static Brokers at(String address) {
        return new Brokers(address, Optional.empty());
    }

    /// @param file Kafka's settings of connections, as its own tools take them with `--command-config`
    /// @throws KafkaConfigException if the file cannot be used
    public static Brokers at(String address, Optional<Path> file) {
        return new Brokers(address, file.map(ClientFile::read));
    }

    /// `host:port` of a broker, or several with commas between them.
    public String address() {
        return address;
    }

    Optional<ClientFile> file() {
        return file;
    }

    /// What every client is told, under Kafka's names; nothing that a client may set by itself is among it.
    public Map<String, Object> connection() {
        Map<String, Object> settings = new HashMap<>();
        file.ifPresent(given -> settings.putAll(given.settings()));
        settings.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, address);
        return settings;
    }

    private Map<String, Object> with(Map<String, Object> own) {
        Map<String, Object> all = connection();
        all.putAll(own);
        return all;
    }

    /// An admin client whose calls end within `timeout`.
    ///
    /// @throws KafkaUnreachableException if the address is none, its host is not known, or no token is to be had
    /// @throws KafkaConfigException if no client can be made with the file
    public Admin admin(Duration timeout) {
        int millis = Math.toIntExact(timeout.toMillis());
        return made(() -> Admin.create(with(Map.of(
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis))));
    }

    /// As [#admin]; a client that reads, and leaves nothing behind at the brokers.
    ///
    /// @param own settings, under Kafka's names
    public KafkaConsumer<String, byte[]> consumer(Map<String, Object> own) {
        Map<String, Object> settings = new HashMap<>(Map.of(
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false,
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest")); // retention may pass the reader by
        settings.putAll(own);
        return made(() -> new KafkaConsumer<>(with(settings), new StringDeserializer(), new ByteArrayDeserializer()));
    }

    /// As [#admin]; a client that claims.
    ///
    /// @param own settings, under Kafka's names
    public KafkaShareConsumer<byte[], byte[]> shareConsumer(Map<String, Object> own) {
        return made(
                () -> new KafkaShareConsumer<>(with(own), new ByteArrayDeserializer(), new ByteArrayDeserializer()));
    }

    /// As [#admin]; a client that publishes.
    ///
    /// @param own settings, under Kafka's names
    public KafkaProducer<String, byte[]> producer(Map<String, Object> own) {
        return made(() -> new KafkaProducer<>(with(own), new StringSerializer(), new ByteArraySerializer()));
    }

    /// Clients say what they cannot be made with in many ways; the reason hides as a cause.
    private <T> T made(Supplier<T> client) {
        try {
            return client.get();
        } catch (KafkaException | IllegalArgumentException e) {
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                boolean comesLater = cause instanceof RetriableException
                        || cause instanceof AuthenticationException
                        || cause instanceof LoginException;
                if (comesLater || (cause instanceof ConfigException wrong && isAddress(wrong))) {
                    throw new KafkaUnreachableException(this, cause);
                }
            }
            if (file.isEmpty()) {
                throw new KafkaUnreachableException(this, e.getCause() == null ? e : e.getCause());
            }
            throw file.get().unusable(e);
        }
    }

    /// The clients' way to say that no host has that name, or that it is none.
    private static boolean isAddress(ConfigException wrong) {
        return String.valueOf(wrong.getMessage()).contains(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
    }

    /// Who asks is not told: the file has passwords.
    @Override
    public String toString() {
        return address;
    }
}
