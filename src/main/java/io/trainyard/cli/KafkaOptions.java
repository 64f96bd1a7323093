package io.trainyard.cli;

import io.trainyard.spec.Printable;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.PortProbe;
import io.trainyard.topics.Topic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// The Kafka options of every command that connects to a fleet.
public final class KafkaOptions {
    private static final int MAX_TIMEOUT_SECONDS = 600;

    private static final String ADDRESSES =
            "[^\\s,:]+:[0-9]{1,5}(,[^\\s,:]+:[0-9]{1,5}){0,9}|\\[[0-9a-fA-F:]+]:[0-9]{1,5}";
    private static final String PREFIX = "[A-Za-z0-9._-]{0,100}";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    private String address = "localhost:9092";
    private String prefix = Topic.DEFAULT_PREFIX;
    private Duration timeout = Duration.ofSeconds(10);
    private @Nullable Brokers brokers;

    @SuppressWarnings("UnusedVariable") // read by name, before the command runs
    @Option(names = "--verbose", description = "Log warnings and stack traces (TRAINYARD_VERBOSE).")
    private boolean verbose;

    @Option(
            names = "--kafka",
            paramLabel = "HOST:PORT",
            defaultValue = "${env:TRAINYARD_KAFKA:-localhost:9092}",
            description = "Brokers (default: TRAINYARD_KAFKA, or localhost:9092).")
    void setAddress(String value) {
        if (!value.matches(ADDRESSES)) {
            throw new ParameterException(
                    command.commandLine(),
                    "--kafka is \"%s\"; allowed is HOST:PORT, or several with commas between them"
                            .formatted(Printable.text(value, 80)));
        }
        address = value;
    }

    @Option(
            names = "--kafka-config",
            paramLabel = "FILE",
            defaultValue = "${env:TRAINYARD_KAFKA_CONFIG:-}",
            description = "Kafka client properties, for TLS and SASL (default: TRAINYARD_KAFKA_CONFIG, or none).")
    private String config = "";

    @Option(
            names = "--prefix",
            paramLabel = "PREFIX",
            defaultValue = "${env:TRAINYARD_TOPICS_PREFIX:-" + Topic.DEFAULT_PREFIX + "}",
            description = "Prefix of topic names (default: TRAINYARD_TOPICS_PREFIX, or trainyard.).")
    void setPrefix(String value) {
        if (!value.matches(PREFIX)) {
            throw new ParameterException(
                    command.commandLine(),
                    "--prefix is \"%s\"; allowed are up to 100 letters, digits, dots, hyphens and underscores"
                            .formatted(Printable.text(value, 80)));
        }
        prefix = value;
    }

    @Option(
            names = "--kafka-timeout",
            paramLabel = "SEC",
            defaultValue = "${env:TRAINYARD_KAFKA_TIMEOUT:-10}",
            description = "Seconds to wait for Kafka (default: TRAINYARD_KAFKA_TIMEOUT, or 10).")
    void setTimeout(int seconds) {
        if (seconds < 1 || seconds > MAX_TIMEOUT_SECONDS) {
            throw new ParameterException(
                    command.commandLine(),
                    "--kafka-timeout is %d; allowed is 1 to %d seconds".formatted(seconds, MAX_TIMEOUT_SECONDS));
        }
        timeout = Duration.ofSeconds(seconds);
    }

    Cluster cluster() {
        return new Cluster(brokers(), prefix, timeout);
    }

    /// The brokers in the options.
    ///
    /// @throws io.trainyard.topics.KafkaConfigException if the settings file is invalid
    /// @throws io.trainyard.topics.KafkaUnreachableException if the brokers use TLS and the settings do not
    Brokers brokers() {
        if (brokers == null) {
            brokers = Brokers.at(address, file());
            PortProbe.requireKafka(brokers);
        }
        return brokers;
    }

    private Optional<Path> file() {
        return config.isBlank() ? Optional.empty() : Optional.of(Path.of(config));
    }

    /// The options as Quarkus settings.
    Map<String, String> settings() {
        return Map.of(
                "trainyard.kafka",
                address,
                "trainyard.kafka-config",
                file().map(path -> path.toAbsolutePath().toString()).orElse(""),
                "trainyard.topics.prefix",
                prefix);
    }

    String address() {
        return address;
    }

    /// The path of the settings file as given; empty if not given.
    String config() {
        return config;
    }

    String prefix() {
        return prefix;
    }

    /// The timeout of one response of the brokers.
    Duration timeout() {
        return timeout;
    }
}
