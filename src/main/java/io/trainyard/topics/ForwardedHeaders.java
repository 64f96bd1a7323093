package io.trainyard.topics;

/// Headers of a command that a worker forwarded to the topic of another device kind; all are text. Each
/// forwarding replaces them.
public final class ForwardedHeaders {
    /// The full name of the topic from which the command was forwarded.
    public static final String FROM = "forwarded-from";

    public static final String BY = "forwarded-by";

    private ForwardedHeaders() {}
}
