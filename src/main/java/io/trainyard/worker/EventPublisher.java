package io.trainyard.worker;

import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.WorkerStatus;
import io.trainyard.ownership.CommandContent;
import io.trainyard.ownership.Ownership;
import io.trainyard.ownership.OwnershipJson;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSchemaVersion;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.CommandHeaders;
import io.trainyard.topics.CommandLimits;
import io.trainyard.topics.DeadLetter;
import io.trainyard.topics.ForwardedHeaders;
import io.trainyard.topics.RecordKey;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/// Builds the records of a worker: topic, key, headers, body.
final class EventPublisher {
    private final Outbox outbox;
    private final String prefix;
    private final String worker;

    EventPublisher(Outbox outbox, String prefix, String worker) {
        this.outbox = outbox;
        this.prefix = prefix;
        this.worker = worker;
    }

    /// Publishes an event.
    ///
    /// @param trace of the job's command, which its events continue; null if it has none
    CompletableFuture<Void> publish(SerializedEvent line, @Nullable String trace) {
        TrainingEvent event = line.event();
        RecordHeaders headers =
                CloudEvents.headers(CloudEvents.type(event), CloudEvents.worker(line.worker()), line.time());
        if (trace != null) {
            CommandHeaders.add(headers, CloudEvents.TRACE_PARENT, trace);
        }
        return send(Topic.of(event), RecordKey.of(event), line.json(), headers);
    }

    /// Publishes a heartbeat.
    CompletableFuture<Void> publish(WorkerStatus status, Instant now) {
        return send(
                Topic.WORKERS,
                status.worker(),
                EventJson.write(status),
                CloudEvents.headers(CloudEvents.WORKER_STATUS, CloudEvents.worker(worker), now));
    }

    CompletableFuture<Void> publish(CommandContent request) {
        JobSchemaVersion.Written written = JobJson.command(request.job());
        RecordHeaders headers = CommandRecord.headers(request, worker);
        CommandHeaders.addSchemaVersion(headers, written.schemaVersion());
        return send(
                request.topic(),
                request.job().id(),
                written.json().toString().getBytes(StandardCharsets.UTF_8),
                headers);
    }

    CompletableFuture<Void> publish(Ownership ownership) {
        return send(Topic.OWNERSHIP, ownership.job(), OwnershipJson.write(ownership), headers(CloudEvents.OWNERSHIP));
    }

    /// Publishes a record without effect to the partition that has a job's ownership. A worker that fails to do
    /// so must not claim.
    CompletableFuture<Void> probeOwnership(String job) {
        return send(Topic.OWNERSHIP, DeferredRecord.probeKey(job), null, headers(CloudEvents.OWNERSHIP));
    }

    CompletableFuture<Void> endOwnership(String job) {
        return send(Topic.OWNERSHIP, job, null, headers(CloudEvents.OWNERSHIP));
    }

    /// Publishes that the control requests of a job no longer matter.
    CompletableFuture<Void> endControl(String job) {
        return send(Topic.CONTROL, job, null, headers(CloudEvents.OWNERSHIP));
    }

    /// Publishes a dead letter. Its size is limited, however large the command is.
    CompletableFuture<Void> deadLetter(ConsumerRecord<byte[], byte[]> command, String reason) {
        RecordHeaders headers = headers(CloudEvents.DEAD_COMMAND);
        CloudEvents.continueTrace(command.headers(), headers);
        headers.remove("content-type"); // the body need not be JSON
        CommandHeaders.add(headers, "content-type", "application/octet-stream");
        DeferredRecord.addOrigin(headers, command, worker, reason);
        byte[] body = CommandRecord.body(command);
        if (body.length > DeadLetter.MAX_BODY_BYTES) {
            CommandHeaders.add(headers, DeadLetter.TRUNCATED_FROM_BYTES, Integer.toString(body.length));
            body = Arrays.copyOf(body, DeadLetter.MAX_BODY_BYTES);
        }
        return outbox.send(Topic.DEAD_LETTER.name(prefix), key(command), body, headers);
    }

    /// Defers a command to newer workers.
    CompletableFuture<Void> defer(ConsumerRecord<byte[], byte[]> command, String job, String reason) {
        return send(
                Topic.OWNERSHIP,
                DeferredRecord.key(job, command),
                CommandRecord.body(command),
                DeferredRecord.headers(command, worker, reason));
    }

    /// Defers a command until it is its project's turn.
    CompletableFuture<Void> deferForProject(ConsumerRecord<byte[], byte[]> command, JobSpec job, String reason) {
        RecordHeaders headers = DeferredRecord.headers(command, worker, reason);
        CommandHeaders.add(headers, DeferredRecord.DEFERRED, job.projectName());
        if (headers.lastHeader(CommandHeaders.SCHEMA_VERSION) == null) {
            CommandHeaders.addSchemaVersion(headers, JobJson.command(job).schemaVersion());
        }
        return send(Topic.OWNERSHIP, DeferredRecord.key(job.id(), command), CommandRecord.body(command), headers);
    }

    /// Publishes that a command is no longer deferred.
    CompletableFuture<Void> endDeferral(String key) {
        return send(Topic.OWNERSHIP, key, null, headers(CloudEvents.OWNERSHIP));
    }

    CompletableFuture<Void> republish(ConsumerRecord<byte[], byte[]> command) {
        return outbox.send(command.topic(), command.key(), CommandRecord.body(command), command.headers());
    }

    /// The same for a command that was read and not claimed.
    CompletableFuture<Void> againOf(ConsumerRecord<String, byte[]> command) {
        String key = command.key();
        return outbox.send(
                command.topic(),
                key == null ? null : key.getBytes(StandardCharsets.UTF_8),
                CommandRecord.body(command),
                command.headers());
    }

    /// Publishes a command on the correct topic, with a header that names the sender.
    CompletableFuture<Void> forward(ConsumerRecord<byte[], byte[]> command, Topic topic) {
        RecordHeaders headers = new RecordHeaders(command.headers());
        headers.remove(ForwardedHeaders.FROM);
        headers.remove(ForwardedHeaders.BY);
        CommandHeaders.add(headers, ForwardedHeaders.FROM, command.topic());
        CommandHeaders.add(headers, ForwardedHeaders.BY, worker);
        return outbox.send(topic.name(prefix), command.key(), CommandRecord.body(command), headers);
    }

    private static byte @Nullable [] key(ConsumerRecord<byte[], byte[]> command) {
        byte[] key = command.key();
        return key == null || key.length <= CommandLimits.MAX_KEY_BYTES
                ? key
                : Arrays.copyOf(key, CommandLimits.MAX_KEY_BYTES);
    }

    private CompletableFuture<Void> send(Topic topic, String key, byte @Nullable [] body, RecordHeaders headers) {
        return outbox.send(topic.name(prefix), key.getBytes(StandardCharsets.UTF_8), body, headers);
    }

    private RecordHeaders headers(String type) {
        return CloudEvents.headers(type, CloudEvents.worker(worker));
    }
}
