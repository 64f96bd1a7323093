package io.trainyard.topics;

/// The headers of a record on [Topic#DEAD_LETTER], in addition to those of [CloudEvents]; all are text. Key and
/// body are those of the rejected command.
public final class DeadLetter {
    /// A sentence for the author of the command.
    public static final String REASON = "reason";

    /// The position of the command: the topic's full name, the partition and the offset.
    public static final String SOURCE_TOPIC = "source-topic";

    public static final String SOURCE_PARTITION = "source-partition";
    public static final String SOURCE_OFFSET = "source-offset";

    public static final String WORKER = "worker";

    /// The command's size in bytes, if the body is truncated.
    public static final String TRUNCATED_FROM_BYTES = "truncated-from-bytes";

    public static final int MAX_BODY_BYTES = 64 << 10;

    private DeadLetter() {}
}
