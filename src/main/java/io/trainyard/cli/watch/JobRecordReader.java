package io.trainyard.cli.watch;

import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobStates;
import io.trainyard.spec.Printable;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/// Reads records as news of jobs, and says a sentence about each that cannot be read, up to a bound.
public final class JobRecordReader {
    private static final int MAX_WARNINGS = 20;

    private final Consumer<String> warn;
    private int warnings;

    public JobRecordReader(Consumer<String> warn) {
        this.warn = warn;
    }

    /// Reads the current jobs of a fleet from its topics.
    ///
    /// @param warn receives warnings
    /// @throws io.trainyard.topics.KafkaUnreachableException if the brokers do not answer
    public static JobStates readAll(Cluster kafka, int maxJobs, Consumer<String> warn) {
        JobRecordReader reader = new JobRecordReader(warn);
        JobStates book = new JobStates(maxJobs, _ -> {});
        try (EventLog log = EventLog.open(kafka, Topic.JOB_TOPICS)) {
            log.readToEnd(entry -> reader.read(entry).ifPresent(book::take));
        }
        return book;
    }

    /// The record's news; empty where it has none or cannot be read.
    public Optional<JobRecord> read(TopicRecord entry) {
        try {
            return entry.jobRecord();
        } catch (IOException e) {
            unreadable(entry, e);
            return Optional.empty();
        }
    }

    private void unreadable(TopicRecord entry, IOException e) {
        if (warnings < MAX_WARNINGS) {
            String why = e.getMessage() == null
                    ? e.toString()
                    : e.getMessage().lines().findFirst().orElse("");
            warn.accept("skipped the record in %s: it is not an event: %s"
                    .formatted(entry.place(), Printable.text(why, 200)));
        } else if (warnings == MAX_WARNINGS) {
            warn.accept("further records that are not events are skipped without a message");
        }
        warnings++;
    }
}
