package io.trainyard.worker;

import io.trainyard.event.EventJson;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.Resumed;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.event.WorkerStatus;
import io.trainyard.kubernetes.PodMarks;
import io.trainyard.kubernetes.PodMarks.Worker;
import io.trainyard.kubernetes.Pods;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// The dashboard of a simulated fleet. It reads each record after a short delay, updates its job states, marks
/// pods and reports how many jobs want a worker. All three are production code.
final class SimDashboard {
    /// The longest delay until the dashboard reads a record.
    private static final Duration READ = Duration.ofMillis(300);

    private static final Duration LOOK = Duration.ofMillis(250);

    /// The default of `TRAINYARD_DASHBOARD_WORKER_LOST_AFTER`.
    private static final long LOST_MILLIS = 10_000;

    record Attempt(String job, String worker, long claimMillis, long endMillis) {
        private Attempt ended(long millis) {
            return new Attempt(job, worker, claimMillis, millis);
        }
    }

    private record Received(WorkerStatus status, long millis) {}

    private final SimWorld world;
    private final SplittableRandom chance;
    private final Predicate<Status> wanted;
    private final PodMarks marks;
    private final Map<String, JobState> jobs = new TreeMap<>();
    private final Map<String, Received> workers = new HashMap<>();
    private final Map<String, Attempt> attempts = new TreeMap<>();
    private Runnable changed = () -> {};

    SimDashboard(SimKafka kafka, Pods pods, Predicate<Status> wanted) {
        this.world = kafka.world();
        this.wanted = wanted;
        chance = world.chance("dashboard");
        marks = new PodMarks(pods);
        for (Topic topic : Topic.JOB_TOPICS) {
            read(kafka.topic(topic), entry -> receive(topic, kafka.topic(topic), entry));
        }
        read(kafka.topic(Topic.WORKERS), this::receiveStatus);
        look();
    }

    private interface Reading {
        void take(SimTopic.Entry entry) throws IOException;
    }

    /// Reads records in order, each after a random delay.
    private void read(SimTopic topic, Reading reading) {
        long[] lastNanos = {0};
        topic.atAppend(() -> {
            SimTopic.Entry entry = topic.from(topic.end() - 1, 1).getFirst();
            lastNanos[0] = Math.max(lastNanos[0], world.nanos() + chance.nextLong(READ.toNanos()));
            SimTimer _ = world.after(Duration.ofNanos(lastNanos[0] - world.nanos()), () -> {
                try {
                    reading.take(entry);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        });
    }

    private void receive(Topic topic, SimTopic log, SimTopic.Entry entry) throws IOException {
        if (entry.value() == null || entry.key() == null) {
            return;
        }
        TopicRecord record = new TopicRecord(topic, log.read(entry, entry.key(), Optional.empty()));
        Optional<JobRecord> jobRecords = record.jobRecord();
        if (jobRecords.isPresent()) {
            jobs.computeIfAbsent(jobRecords.get().job(), JobState::new).apply(jobRecords.get());
            if (jobRecords.get() instanceof EventRecord eventRecord) {
                receive(eventRecord);
            }
            changed.run();
        }
    }

    private void receive(EventRecord eventRecord) {
        TrainingEvent event = eventRecord.event();
        String key = event.job() + " " + event.attempt();
        switch (event) {
            case Claimed claimed -> {
                marks.claimed(claimed.worker(), claimed.job(), eventRecord.millis());
                attempts.put(key, new Attempt(claimed.job(), claimed.worker(), eventRecord.millis(), Long.MAX_VALUE));
            }
            case Finished _, Failed _, Cancelled _, TrainingEvent.Expanded _, Paused _, Released _ ->
                attempts.computeIfPresent(key, (_, begun) -> begun.ended(eventRecord.millis()));
            case Started _, StepLosses _, EpochTested _, CheckpointSaved _, Resumed _ -> {}
        }
    }

    private void receiveStatus(SimTopic.Entry entry) throws IOException {
        if (entry.value() == null) {
            return;
        }
        WorkerStatus status = EventJson.readStatus(entry.value());
        if (status.stopping()) {
            workers.remove(status.worker());
        } else {
            workers.put(status.worker(), new Received(status, millis(entry.appendedNanos())));
        }
    }

    /// Converts the world's clock to milliseconds since 1970.
    static long millis(long nanos) {
        return SimProcess.BEGINNING.toEpochMilli() + nanos / 1_000_000;
    }

    private void look() {
        long now = millis(world.nanos());
        List<Worker> there = workers.values().stream()
                .filter(received -> now - received.millis() <= LOST_MILLIS)
                .map(received -> new Worker(
                        received.status().worker(),
                        received.status().jobs().stream()
                                .map(WorkerStatus.Job::job)
                                .collect(Collectors.toSet()),
                        received.status().problem() != null,
                        received.millis()))
                .toList();
        marks.look(there, now);
        SimTimer _ = world.after(LOOK, this::look);
    }

    /// @param listener called after each record of a job
    void onChange(Runnable listener) {
        changed = listener;
    }

    long demand() {
        return jobs.values().stream().filter(job -> wanted.test(job.status())).count();
    }

    Collection<Attempt> attempts() {
        return attempts.values();
    }

    Map<String, JobState> jobs() {
        return jobs;
    }
}
