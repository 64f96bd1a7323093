package io.trainyard.faults;

import io.trainyard.Patience;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.event.WorkerStatus;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.Topic;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/// All records of a fleet, read continuously; brokers may be down meanwhile.
final class FleetRecords implements AutoCloseable {
    private final Map<String, List<Received>> events = new ConcurrentHashMap<>();
    private final Map<String, ReceivedStatus> workers = new ConcurrentHashMap<>();
    private final Thread reader;
    private volatile boolean closed;

    /// An event, possibly a republished one.
    ///
    /// @param time when it happened
    /// @param sent when it was sent to the brokers
    record Received(TrainingEvent event, Instant time, Instant sent) {}

    record ReceivedStatus(WorkerStatus status, Instant sent) {}

    FleetRecords(Brokers kafka, String prefix) {
        List<Topic> topics =
                Stream.concat(Topic.EVENTS.stream(), Stream.of(Topic.WORKERS)).toList();
        reader = Thread.ofPlatform().name("news").daemon().start(() -> read(kafka, prefix, topics));
    }

    private void read(Brokers kafka, String prefix, List<Topic> topics) {
        String workersTopic = Topic.WORKERS.name(prefix);
        try (var consumer = kafka.consumer(Map.of())) {
            List<TopicPartition> partitions = topics.stream()
                    .map(topic -> new TopicPartition(topic.name(prefix), 0))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (!closed) {
                for (ConsumerRecord<String, byte[]> found : consumer.poll(Duration.ofMillis(50))) {
                    if (found.topic().equals(workersTopic)) {
                        heartbeat(found);
                    } else {
                        event(found);
                    }
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("a worker published an invalid event", e);
        }
    }

    private void heartbeat(ConsumerRecord<String, byte[]> found) throws IOException {
        if (found.value() != null) {
            WorkerStatus status = EventJson.readStatus(found.value());
            workers.put(status.worker(), new ReceivedStatus(status, Instant.ofEpochMilli(found.timestamp())));
        }
    }

    private void event(ConsumerRecord<String, byte[]> found) throws IOException {
        if (found.value() != null) {
            var published = EventJson.readEvent(found.value());
            Instant sent = Instant.ofEpochMilli(found.timestamp());
            Received received =
                    new Received(published.event(), Objects.requireNonNullElse(published.time(), sent), sent);
            events.computeIfAbsent(published.event().job(), _ -> new CopyOnWriteArrayList<>())
                    .add(received);
        }
    }

    /// All jobs with an event.
    Set<String> jobs() {
        return Set.copyOf(events.keySet());
    }

    List<Received> of(String job) {
        return events.getOrDefault(job, List.of());
    }

    <T extends TrainingEvent> List<T> of(String job, Class<T> type) {
        return of(job).stream()
                .map(Received::event)
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    Optional<ReceivedStatus> worker(String id) {
        return Optional.ofNullable(workers.get(id));
    }

    Optional<Finished> finished(String job) {
        return of(job, Finished.class).stream().findFirst();
    }

    /// The time of the first step of any attempt after `attempt`.
    Optional<Instant> firstStepAfter(String job, int attempt) {
        return of(job).stream()
                .filter(received -> received.event() instanceof StepLosses
                        && received.event().attempt() > attempt)
                .map(Received::time)
                .min(Instant::compareTo);
    }

    Optional<Instant> endSent(String job) {
        return of(job).stream()
                .filter(received -> received.event() instanceof Finished)
                .map(Received::sent)
                .min(Instant::compareTo);
    }

    /// Waits for the first event of a type.
    <T extends TrainingEvent> T await(String job, Class<T> type) {
        Patience.awaitJobs("%s of %s".formatted(type.getSimpleName(), job))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !of(job, type).isEmpty());
        return of(job, type).getFirst();
    }

    @Override
    public void close() {
        closed = true;
        try {
            var _ = reader.join(Patience.LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
