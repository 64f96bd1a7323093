package io.trainyard.topics;

/// The file of Kafka's connection settings cannot be used. The message names the file, the setting and a
/// solution, and contains no password.
public final class KafkaConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    KafkaConfigException(String message) {
        super(message);
    }
}
