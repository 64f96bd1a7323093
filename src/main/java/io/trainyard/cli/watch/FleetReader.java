package io.trainyard.cli.watch;

import io.trainyard.cli.eventlog.EventLog;
import io.trainyard.event.EventJson;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.JobStates;
import io.trainyard.event.WorkerStatus;
import io.trainyard.forecast.Fleet;
import io.trainyard.forecast.Forecast;
import io.trainyard.forecast.JobFacts;
import io.trainyard.forecast.StartForecast;
import io.trainyard.share.ProjectRules;
import io.trainyard.topics.Cluster;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// A fleet according to its topics: its jobs, the live workers, and the forecasts of waiting jobs.
public final class FleetReader {
    public static final int MAX_JOBS = 10_000;

    /// A worker that was silent for so long is not there: heartbeats come every two seconds, or ten where a fleet is
    /// large.
    private static final Duration SILENT = Duration.ofSeconds(30);

    /// A training job publishes losses within this time.
    private static final Duration LATELY = Duration.ofMinutes(2);

    private final Cluster kafka;
    private final ProjectRules rules;
    private final JobRecordReader reader;
    private final JobStates book = new JobStates(MAX_JOBS, _ -> {});
    private final Map<String, Received> workers = new HashMap<>();

    private record Received(WorkerStatus status, long millis) {}

    /// @param rules how projects share the fleet
    /// @param warn called with sentences about what cannot be read
    public FleetReader(Cluster kafka, ProjectRules rules, Consumer<String> warn) {
        this.kafka = kafka;
        this.rules = rules;
        reader = new JobRecordReader(warn);
    }

    /// Opens all records of jobs and the recent heartbeats.
    public EventLog open() {
        return open(Topic.JOB_TOPICS, List.of());
    }

    /// Opens what says where jobs stand and how long they take, and no more of losses than is needed for that: a
    /// fraction of all.
    public EventLog openBriefly() {
        List<Topic> whole = Topic.JOB_TOPICS.stream()
                .filter(topic -> topic.content() != Topic.Content.EVENTS || topic == Topic.JOBS)
                .toList();
        return open(whole, List.of(Topic.STEPS));
    }

    /// Without permission to read heartbeats, jobs are still read.
    private EventLog open(List<Topic> whole, List<Topic> more) {
        List<Topic> recent = new ArrayList<>(more);
        recent.add(Topic.WORKERS);
        return EventLog.open(kafka, whole, recent, LATELY);
    }

    public void take(TopicRecord entry) {
        if (entry.topic() == Topic.WORKERS) {
            takeStatus(entry);
        } else {
            reader.read(entry).ifPresent(book::take);
        }
    }

    private void takeStatus(TopicRecord entry) {
        try {
            WorkerStatus status = EventJson.readStatus(entry.body());
            if (status.stopping()) {
                workers.remove(status.worker());
            } else {
                workers.put(status.worker(), new Received(status, entry.millis()));
            }
        } catch (IOException _) { // anybody may write to the topic
            workers.remove(String.valueOf(entry.key()));
        }
    }

    /// All jobs in the order of their first records.
    public Collection<JobState> jobs() {
        return book.jobs();
    }

    public JobStates book() {
        return book;
    }

    public List<WorkerStatus> workers(long nowMillis) {
        return workers.values().stream()
                .filter(received -> nowMillis - received.millis() < SILENT.toMillis())
                .map(Received::status)
                .sorted(Comparator.comparing(WorkerStatus::worker))
                .toList();
    }

    public Forecast forecast(long nowMillis) {
        return Forecast.of(
                new Fleet(book.jobs().stream().map(JobFacts::of).toList(), workers(nowMillis), nowMillis, rules));
    }

    /// The fleet at a moment.
    ///
    /// @param workers that are there, by id
    public record Snapshot(List<WorkerStatus> workers, List<JobState> jobs, Forecast forecast, long atMillis) {
        public long count(Status status) {
            return jobs.stream().filter(job -> job.status() == status).count();
        }

        /// The running jobs in the order of their first records.
        public List<JobState> running() {
            return jobs.stream().filter(job -> job.status() == Status.RUNNING).toList();
        }

        /// What lies before those that wait, in their order.
        public List<StartForecast> waiting() {
            return forecast.forecasts().values().stream()
                    .filter(forecast -> forecast.place() > 0)
                    .toList();
        }
    }

    public Snapshot snapshot(Forecast forecast, long nowMillis) {
        return new Snapshot(workers(nowMillis), List.copyOf(book.jobs()), forecast, nowMillis);
    }
}
