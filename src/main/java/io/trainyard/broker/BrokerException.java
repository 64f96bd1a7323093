package io.trainyard.broker;

/// The embedded Kafka cannot be started. The message says which port or directory is meant, why, and what to do.
public final class BrokerException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public BrokerException(String message) {
        super(message);
    }

    public BrokerException(String message, Throwable cause) {
        super(message, cause);
    }
}
