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

/// The brokers and the settings for connecting to them. Every Kafka client in Trainyard is created here or uses
/// [#connection], so the operator's file of TLS and authentication settings applies to all of them.
public final class Brokers {
    private final String address;
    private final Optional<ClientFile> file;

    private Brokers(String address, Optional<ClientFile> file) {
        this.address = address;
        this.file = file;
    }

    /// Brokers without TLS and authentication.
    ///
    /// @param address `host:port` of a broker, or several separated by commas
    public static Brokers at(String address) {
        return new Brokers(address, Optional.empty());
    }

    /// @param file a file of Kafka connection settings, like `--command-config` of Kafka's tools
    /// @throws KafkaConfigException if the file cannot be used
    public static Brokers at(String address, Optional<Path> file) {
        return new Brokers(address, file.map(ClientFile::read));
    }

    public String address() {
        return address;
    }

    Optional<ClientFile> file() {
        return file;
    }

    /// The common settings of all clients, by Kafka's names. Individual clients must not override them.
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

    /// Creates an admin client with `timeout` as limit for each call.
    ///
    /// @throws KafkaUnreachableException if the address is invalid, the host is unknown or no token is
    ///     available
    /// @throws KafkaConfigException if no client can be created with the file
    public Admin admin(Duration timeout) {
        int millis = Math.toIntExact(timeout.toMillis());
        return made(() -> Admin.create(with(Map.of(
                AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, millis,
                AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis))));
    }

    /// Creates a consumer without a group that commits no offsets. Throws the same exceptions as [#admin].
    public KafkaConsumer<String, byte[]> consumer(Map<String, Object> own) {
        Map<String, Object> settings = new HashMap<>(Map.of(
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false,
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest")); // if retention deletes records before they are read
        settings.putAll(own);
        return made(() -> new KafkaConsumer<>(with(settings), new StringDeserializer(), new ByteArrayDeserializer()));
    }

    /// Creates a share consumer, for claiming. Throws the same exceptions as [#admin].
    public KafkaShareConsumer<byte[], byte[]> shareConsumer(Map<String, Object> own) {
        return made(
                () -> new KafkaShareConsumer<>(with(own), new ByteArrayDeserializer(), new ByteArrayDeserializer()));
    }

    /// Creates a producer. Throws the same exceptions as [#admin].
    public KafkaProducer<String, byte[]> producer(Map<String, Object> own) {
        return made(() -> new KafkaProducer<>(with(own), new StringSerializer(), new ByteArraySerializer()));
    }

    /// Kafka's constructors wrap the reason for a failure in various exceptions.
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

    /// Kafka's exception for an invalid address or an unknown host.
    private static boolean isAddress(ConfigException wrong) {
        return String.valueOf(wrong.getMessage()).contains(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
    }

    @Override
    public String toString() {
        return address;
    }
}
