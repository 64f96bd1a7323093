package io.trainyard.topics;

/// The headers that a command has once a worker has published it anew. All are text, and none is needed.
public final class CommandHeaders {
    /// The attempt that is asked for; without it, the first.
    public static final String ATTEMPT = "trainyard-attempt";

    /// The identity of the store that has the job's attempts and checkpoints.
    public static final String STORE = "trainyard-store";

    /// The workers that could not run the job, and why: a JSON list of objects with `worker` and `reason`.
    public static final String REFUSALS = "trainyard-refusals";

    /// The most bytes of any of them, and of a `traceparent`, that are read; a longer one is as if it were not
    /// there.
    public static final int MAX_BYTES = 16 << 10;

    private CommandHeaders() {}
}
