package io.trainyard.topics;

/// The brokers do not answer in time, or refuse.
public final class KafkaUnreachableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// @param kafka the address that was tried, `host:port`
    public KafkaUnreachableException(String kafka, Throwable cause) {
        super(
                "Kafka at %s does not answer: %s; is it running (./trainyard broker), and is the address right (--kafka HOST:PORT)?"
                        .formatted(
                                kafka,
                                cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage()),
                cause);
    }
}
