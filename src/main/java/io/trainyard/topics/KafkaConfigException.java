package io.trainyard.topics;

/// The file with Kafka's settings of connections cannot be used. The message names the file and the setting, and says
/// what to do; it has no password.
public final class KafkaConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    KafkaConfigException(String message) {
        super(message);
    }
}
