package io.trainyard.topics;

/// The headers that a worker adds to a command for a kind of device it has not, when it passes the command on to that
/// kind's topic. Both are text; a command that is passed on once more has those of the last time.
public final class Forwarded {
    /// The full name of the topic that the command was on.
    public static final String FROM = "forwarded-from";

    /// The id of the worker that passed it on.
    public static final String BY = "forwarded-by";

    private Forwarded() {}
}
