package io.trainyard.topics;

import io.trainyard.event.EventJson;
import io.trainyard.event.JobNews;
import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobNews.Rejected;
import io.trainyard.event.JobNews.Requested;
import io.trainyard.event.Told;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/// A record of one of the topics. Its value is there: a compacted topic's mark that a key is gone tells nothing.
public record TopicRecord(Topic topic, ConsumerRecord<String, byte[]> entry) {
    public @Nullable String key() {
        return entry.key();
    }

    /// The job that it is of by its key; null where it has none, and on a topic whose keys are no jobs.
    public @Nullable String job() {
        String key = key();
        return key == null || topic == Topic.WORKERS ? null : RecordKey.job(key);
    }

    /// As it is on the topic; mostly JSON, but anyone can write to a topic.
    public byte[] body() {
        return entry.value();
    }

    public long millis() {
        return entry.timestamp();
    }

    /// Where it is, in words.
    public String place() {
        return place(entry.topic(), Integer.toString(entry.partition()), Long.toString(entry.offset()));
    }

    private static String place(String topic, String partition, String offset) {
        return "%s-%s at offset %s".formatted(topic, partition, offset);
    }

    /// What it says about a job; empty where that is nothing, or where it is not known about which.
    ///
    /// @throws IOException if it should be an event and is none
    public Optional<JobNews> news() throws IOException {
        return switch (topic.content()) {
            case COMMANDS -> requested();
            case EVENTS -> Optional.of(happened());
            case DEAD_LETTERS -> rejected();
            case OTHER -> Optional.empty();
        };
    }

    /// Whoever does not say when it happened says when it was sent.
    private Happened happened() throws IOException {
        Told told = EventJson.readEvent(body());
        long millis = told.time() == null ? entry.timestamp() : told.time().toEpochMilli();
        return new Happened(told.event(), millis, worker(), entry.offset());
    }

    /// The worker that it comes from; null where its headers do not tell.
    private @Nullable String worker() {
        String source = header(CloudEvents.SOURCE);
        return source == null || !source.startsWith(CloudEvents.WORKERS)
                ? null
                : source.substring(CloudEvents.WORKERS.length());
    }

    private Optional<JobNews> requested() {
        JobSpec spec = command();
        return job(spec).map(job -> new Requested(job, spec, place(), entry.timestamp()));
    }

    private Optional<JobNews> rejected() {
        String reason = header(DeadLetter.REASON);
        String told = reason == null ? "no reason is given" : reason;
        return job(command()).map(job -> new Rejected(job, refused(), told, entry.timestamp()));
    }

    /// Whoever wrote a command, it goes by the id in its body, as the workers do. One that cannot be read is known
    /// by its key.
    private Optional<String> job(@Nullable JobSpec spec) {
        return Optional.ofNullable(spec == null ? key() : spec.id()).filter(JobNews::isId);
    }

    /// The command in the body; null where it cannot be read.
    private @Nullable JobSpec command() {
        try {
            return JobJson.read(body());
        } catch (InvalidJobException _) {
            return null;
        }
    }

    /// The place of a dead letter's command; null where its headers do not tell.
    private @Nullable String refused() {
        String source = header(DeadLetter.SOURCE_TOPIC);
        String partition = header(DeadLetter.SOURCE_PARTITION);
        String offset = header(DeadLetter.SOURCE_OFFSET);
        return source == null || partition == null || offset == null ? null : place(source, partition, offset);
    }

    private @Nullable String header(String name) {
        Header header = entry.headers().lastHeader(name);
        return header == null || header.value() == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }
}
