package io.trainyard.topics;

/// The headers a record on [Topic#DEAD_LETTER] has besides those of [CloudEvents]; all are text. Its key and
/// body are those of the command that nobody will run.
public final class DeadLetter {
    /// A sentence for the person who wrote the command.
    public static final String REASON = "reason";

    /// Where the command was: the topic's full name, the partition and the offset.
    public static final String SOURCE_TOPIC = "source-topic";

    public static final String SOURCE_PARTITION = "source-partition";
    public static final String SOURCE_OFFSET = "source-offset";

    /// The id of the worker that refused it.
    public static final String WORKER = "worker";

    /// The command's size in bytes; only where the body is no more than its beginning.
    public static final String TRUNCATED_FROM_BYTES = "truncated-from-bytes";

    /// The most of a command that is kept, in bytes.
    public static final int MAX_BODY_BYTES = 64 << 10;

    private DeadLetter() {}
}
