package io.trainyard.worker;

import io.trainyard.ownership.CommandContent;
import io.trainyard.ownership.CommandContent.Refusal;
import io.trainyard.ownership.OwnershipJson;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.CommandHeaders;
import io.trainyard.topics.CommandLimits;
import io.trainyard.topics.Priority;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/// A command as a record: a job as JSON, and headers.
final class CommandRecord {
    private static final String NONE_NEEDED = "a command needs none";

    /// The longest excerpt of a user's text, in characters.
    private static final int MAX_SHOWN = 100;

    private CommandRecord() {}

    /// A larger record may not fit where a worker has to copy it, and would be delivered again and again.
    ///
    /// @throws InvalidJobException if the record exceeds the limit of a command
    static void requireWithinLimits(ConsumerRecord<byte[], byte[]> command) {
        int key = command.key() == null ? 0 : command.key().length;
        require("key has %d bytes", key, CommandLimits.MAX_KEY_BYTES, "use the job's id as key");
        int headers = command.headers().toArray().length;
        require("record has %d headers", headers, CommandLimits.MAX_HEADERS, NONE_NEEDED);
        int bytes = 0;
        for (Header header : command.headers()) {
            bytes += Utils.utf8Length(header.key()) + (header.value() == null ? 0 : header.value().length);
        }
        require("headers have %d bytes", bytes, CommandLimits.MAX_HEADERS_BYTES, NONE_NEEDED);
        JobJson.requireLength(command.value() == null ? 0 : command.value().length);
    }

    private static void require(String what, int size, int allowed, String instead) {
        if (size > allowed) {
            throw new InvalidJobException(
                    "the command's %s; allowed is up to %d; %s".formatted(what.formatted(size), allowed, instead));
        }
    }

    /// @throws InvalidJobException with a sentence for the author of the command
    static JobSpec job(ConsumerRecord<?, byte[]> command, int schemaVersion) {
        try {
            return JobJson.read(body(command), schemaVersion);
        } catch (InvalidJobException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) { // any bytes may arrive
            throw new InvalidJobException("the command cannot be read: " + e, e);
        }
    }

    /// Empty if the value is null: a null value would be a tombstone.
    static byte[] body(ConsumerRecord<?, byte[]> command) {
        return command.value() == null ? new byte[0] : command.value();
    }

    /// The job of a command that needs a newer schema version than this worker supports; empty if it does not, or if
    /// it names no job.
    ///
    /// @throws InvalidJobException if a header is invalid
    static Optional<String> newer(ConsumerRecord<byte[], byte[]> command, int schemaVersion) {
        String written = text(command.headers(), CommandHeaders.SCHEMA_VERSION);
        if (written != null && !written.matches("[1-9][0-9]{0,4}")) {
            throw new InvalidJobException("the header %s is \"%s\"; allowed is a number from 1 to 99999, or none"
                    .formatted(CommandHeaders.SCHEMA_VERSION, shown(written)));
        }
        return written == null || Integer.parseInt(written) <= schemaVersion
                ? Optional.empty()
                : JobJson.id(body(command));
    }

    /// @throws InvalidJobException if a header is invalid
    static CommandContent request(ConsumerRecord<?, byte[]> command, JobSpec job, Priority priority) {
        Headers headers = command.headers();
        return new CommandContent(
                job,
                attempt(text(headers, CommandHeaders.ATTEMPT)),
                priority,
                refusals(text(headers, CommandHeaders.REFUSALS)),
                store(text(headers, CommandHeaders.STORE)),
                text(headers, CloudEvents.TRACE_PARENT),
                0);
    }

    private static int attempt(@Nullable String text) {
        if (text == null) {
            return 1;
        }
        if (!text.matches("[1-9][0-9]{0,8}")) {
            throw new InvalidJobException("the header %s is \"%s\"; allowed is a number from 1 to 999999999, or none"
                    .formatted(CommandHeaders.ATTEMPT, shown(text)));
        }
        return Integer.parseInt(text);
    }

    /// An invalid store name would send the command from worker to worker.
    private static @Nullable String store(@Nullable String text) {
        if (text != null && !text.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")) {
            throw new InvalidJobException("the header %s is not a UUID; allowed is the identity of a store, or none"
                    .formatted(CommandHeaders.STORE));
        }
        return text;
    }

    /// Shortened for a sentence.
    private static String shown(@Nullable String text) {
        String printable = String.valueOf(text).replaceAll("\\p{Cntrl}", "?");
        return printable.length() <= MAX_SHOWN ? printable : printable.substring(0, MAX_SHOWN) + "...";
    }

    private static List<Refusal> refusals(@Nullable String text) {
        try {
            return text == null ? List.of() : OwnershipJson.readRefusals(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new InvalidJobException(
                    "the header %s is not a list of refusals: %s"
                            .formatted(CommandHeaders.REFUSALS, shown(e.getMessage())),
                    e);
        }
    }

    private static @Nullable String text(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        boolean there = header != null && header.value() != null && header.value().length <= CommandHeaders.MAX_BYTES;
        return there ? new String(header.value(), StandardCharsets.UTF_8) : null;
    }

    /// The headers of a command that a worker publishes again.
    static RecordHeaders headers(CommandContent request, String worker) {
        RecordHeaders headers = CloudEvents.headers(CloudEvents.COMMAND, "/workers/" + worker);
        CommandHeaders.add(headers, CommandHeaders.ATTEMPT, Integer.toString(request.attempt()));
        if (request.store() != null) {
            CommandHeaders.add(headers, CommandHeaders.STORE, request.store());
        }
        if (!request.refusals().isEmpty()) {
            CommandHeaders.add(
                    headers,
                    CommandHeaders.REFUSALS,
                    new String(OwnershipJson.write(request.refusals()), StandardCharsets.UTF_8));
        }
        if (request.trace() != null) {
            CommandHeaders.add(headers, CloudEvents.TRACE_PARENT, request.trace());
        }
        return headers;
    }

    /// Identifies a claim by the position of its record. A deferred command has another position than the
    /// original record, which may be delivered again.
    static String claim(ConsumerRecord<byte[], byte[]> command) {
        return command.deliveryCount().isPresent() ? place(command) : place(command) + "/deferred";
    }

    static String place(ConsumerRecord<?, ?> command) {
        return "%s-%d@%d".formatted(command.topic(), command.partition(), command.offset());
    }
}
