package io.trainyard.topics;

/// How large a command may be around its body. One that keeps to it, with a body that may be read, fits into a record
/// of every topic that workers put it on, with all that they add and however it was compressed before.
public final class CommandLimits {
    /// A job's id has at most 100 characters.
    public static final int MAX_KEY_BYTES = 1 << 10;

    /// Workers write nine, and pass on what others have written.
    public static final int MAX_HEADERS = 64;

    /// Of all headers, names and values together.
    public static final int MAX_HEADERS_BYTES = 64 << 10;

    private CommandLimits() {}
}
