package io.trainyard.topics;

/// Size limits of a command apart from its body. A command within the limits fits into a record of every topic
/// to which workers copy it, including the headers that they add, for any earlier compression.
public final class CommandLimits {
    /// A job's id has at most 100 characters.
    public static final int MAX_KEY_BYTES = 1 << 10;

    /// Workers write nine headers and pass on those of other clients.
    public static final int MAX_HEADERS = 64;

    public static final int MAX_HEADERS_BYTES = 64 << 10;

    private CommandLimits() {}
}
