package io.trainyard.worker;

import io.trainyard.ownership.DeferredByProject.DeferredEntry;
import io.trainyard.ownership.DeferredByVersion.Deferral;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.CommandHeaders;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.Priority;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/// A command that is deferred until a newer worker comes or until it is its project's turn. It is a record of
/// the topic `ownership`; the key is the job's id, a slash and the position of the command. The body and the
/// headers are those of the command. Further headers, as in a [DeadLetter], give the original position, the
/// worker that could not read it, and the reason.
///
/// @param command as it was on its topic; it has no delivery count because no share group delivered it
/// @param offset of the record on `ownership`
record DeferredRecord(ConsumerRecord<byte[], byte[]> command, String reason, long offset) {
    /// The project, if the command waits for its project's turn and not for a newer worker.
    static final String DEFERRED = "trainyard-deferred";

    private static final String KEY = "source-key";

    private static final List<String> ADDED = List.of(
            KEY,
            DeadLetter.REASON,
            DeadLetter.SOURCE_TOPIC,
            DeadLetter.SOURCE_PARTITION,
            DeadLetter.SOURCE_OFFSET,
            DeadLetter.WORKER);

    private static final char SLASH = '/';

    static String key(String job, ConsumerRecord<?, ?> command) {
        return job + SLASH + CommandRecord.place(command);
    }

    /// The key of a record that only proves that this worker can write; no command has this position.
    static String probeKey(String job) {
        return job + SLASH + "probe";
    }

    /// Whether a record of `ownership` is a deferred command.
    static boolean isKey(String key) {
        return key.indexOf(SLASH) >= 0;
    }

    static String job(String key) {
        return key.substring(0, key.indexOf(SLASH));
    }

    static RecordHeaders headers(ConsumerRecord<byte[], byte[]> command, String worker, String reason) {
        RecordHeaders headers = new RecordHeaders(command.headers());
        ADDED.forEach(headers::remove);
        headers.remove(DEFERRED);
        if (command.key() != null) {
            headers.add(KEY, command.key());
        }
        addOrigin(headers, command, worker, reason);
        return headers;
    }

    /// Adds the headers of a [DeadLetter].
    static void addOrigin(Headers headers, ConsumerRecord<?, ?> command, String worker, String reason) {
        CommandHeaders.add(headers, DeadLetter.REASON, reason);
        CommandHeaders.add(headers, DeadLetter.SOURCE_TOPIC, command.topic());
        CommandHeaders.add(headers, DeadLetter.SOURCE_PARTITION, Integer.toString(command.partition()));
        CommandHeaders.add(headers, DeadLetter.SOURCE_OFFSET, Long.toString(command.offset()));
        CommandHeaders.add(headers, DeadLetter.WORKER, worker);
    }

    /// @throws IOException if it is not a deferred command: anyone can write to a topic
    static Deferral<DeferredRecord> read(ConsumerRecord<String, byte[]> entry) throws IOException {
        RecordHeaders headers = new RecordHeaders(entry.headers());
        String reason = text(headers, DeadLetter.REASON);
        Header key = headers.lastHeader(KEY);
        @SuppressWarnings("NullAway") // Kafka's type does not declare that a key may be null
        ConsumerRecord<byte[], byte[]> command = new ConsumerRecord<>(
                text(headers, DeadLetter.SOURCE_TOPIC),
                (int) number(headers, DeadLetter.SOURCE_PARTITION),
                number(headers, DeadLetter.SOURCE_OFFSET),
                entry.timestamp(),
                TimestampType.CREATE_TIME,
                ConsumerRecord.NULL_SIZE,
                entry.value().length,
                key == null ? null : key.value(),
                entry.value(),
                headers,
                Optional.empty());
        ADDED.forEach(headers::remove);
        if (!entry.key().equals(key(job(entry.key()), command))) {
            throw new IOException("its key is not that of %s".formatted(CommandRecord.place(command)));
        }
        int schemaVersion = (int) number(headers, CommandHeaders.SCHEMA_VERSION);
        return new Deferral<>(
                entry.key(), schemaVersion, entry.value().length, new DeferredRecord(command, reason, entry.offset()));
    }

    /// A command that waits for its project's turn; empty if it does not, or if it is newer than this worker.
    ///
    /// @throws IOException if it is not a deferred command
    static Optional<DeferredEntry<DeferredRecord>> deferred(ConsumerRecord<String, byte[]> entry, WorkerRules rules)
            throws IOException {
        if (entry.headers().lastHeader(DEFERRED) == null) {
            return Optional.empty();
        }
        Deferral<DeferredRecord> waits = read(entry);
        var command = waits.command().command();
        try {
            JobSpec job = CommandRecord.job(command, rules.deferring().schemaVersion());
            return Optional.of(new DeferredEntry<>(
                    entry.key(),
                    job.id(),
                    job.projectName(),
                    Priority.of(command.topic(), rules.routes().prefix()),
                    command.topic(),
                    command.offset(),
                    entry.offset(),
                    waits.bytes(),
                    waits.command()));
        } catch (InvalidJobException _) {
            return Optional.empty();
        }
    }

    /// Whether the current command waits for its project's turn.
    static boolean isDeferred(ConsumerRecord<byte[], byte[]> command) {
        return command.deliveryCount().isEmpty() && command.headers().lastHeader(DEFERRED) != null;
    }

    private static String text(Headers headers, String name) throws IOException {
        String text = CommandHeaders.text(headers, name);
        if (text == null) {
            throw new IOException("the header %s is missing".formatted(name));
        }
        return text;
    }

    private static long number(Headers headers, String name) throws IOException {
        String text = text(headers, name);
        if (!text.matches("[0-9]{1,18}")) {
            throw new IOException("the header %s is not a number".formatted(name));
        }
        return Long.parseLong(text);
    }
}
