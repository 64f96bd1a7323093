package io.trainyard.topics;

import io.trainyard.event.EventJson;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobRecord.Rejected;
import io.trainyard.event.JobRecord.Requested;
import io.trainyard.event.TimestampedEvent;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.io.IOException;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/// A record of a topic. It has a value; tombstones are filtered out.
public record TopicRecord(Topic topic, ConsumerRecord<String, byte[]> entry) {
    public @Nullable String key() {
        return entry.key();
    }

    /// The job id in the key; null if there is no key, and on topics with other keys.
    public @Nullable String job() {
        String key = key();
        return key == null || topic == Topic.WORKERS ? null : RecordKey.job(key);
    }

    /// The value as stored, usually JSON. Any client can write to a topic.
    public byte[] body() {
        return entry.value();
    }

    public long millis() {
        return entry.timestamp();
    }

    public String place() {
        return place(entry.topic(), Integer.toString(entry.partition()), Long.toString(entry.offset()));
    }

    private static String place(String topic, String partition, String offset) {
        return "%s-%s at offset %s".formatted(topic, partition, offset);
    }

    /// The content as a record of a job; empty if it is not about a job or does not name one.
    ///
    /// @throws IOException if it should be an event but is invalid
    public Optional<JobRecord> jobRecord() throws IOException {
        return switch (topic.content()) {
            case COMMANDS -> requested();
            case EVENTS -> Optional.of(event());
            case DEAD_LETTERS -> rejected();
            case OTHER -> Optional.empty();
        };
    }

    /// An event without a time gets the timestamp of its record.
    private EventRecord event() throws IOException {
        TimestampedEvent stamped = EventJson.readEvent(body());
        long millis =
                stamped.time() == null ? entry.timestamp() : stamped.time().toEpochMilli();
        return new EventRecord(stamped.event(), millis, worker(), entry.offset());
    }

    /// The worker that published it; null if the headers do not name one.
    private @Nullable String worker() {
        String source = CommandHeaders.text(entry.headers(), CloudEvents.SOURCE);
        return source == null || !source.startsWith(CloudEvents.WORKERS)
                ? null
                : source.substring(CloudEvents.WORKERS.length());
    }

    private Optional<JobRecord> requested() {
        JobSpec spec = command();
        return job(spec).map(job -> new Requested(job, spec, place(), entry.timestamp()));
    }

    private Optional<JobRecord> rejected() {
        String reason = CommandHeaders.text(entry.headers(), DeadLetter.REASON);
        String sentence = reason == null ? "no reason is given" : reason;
        return job(command()).map(job -> new Rejected(job, refused(), sentence, entry.timestamp()));
    }

    /// A command belongs to the job id in its body, as for workers. An unreadable command is identified by its
    /// key.
    private Optional<String> job(@Nullable JobSpec spec) {
        return Optional.ofNullable(spec == null ? key() : spec.id()).filter(JobRecord::isId);
    }

    private @Nullable JobSpec command() {
        try {
            return JobJson.read(body());
        } catch (InvalidJobException _) {
            return null;
        }
    }

    /// The position of a dead letter's command; null if the headers do not have it.
    private @Nullable String refused() {
        String source = CommandHeaders.text(entry.headers(), DeadLetter.SOURCE_TOPIC);
        String partition = CommandHeaders.text(entry.headers(), DeadLetter.SOURCE_PARTITION);
        String offset = CommandHeaders.text(entry.headers(), DeadLetter.SOURCE_OFFSET);
        return source == null || partition == null || offset == null ? null : place(source, partition, offset);
    }
}
