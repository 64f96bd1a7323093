package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.preempted;
import static io.trainyard.event.SampleEvents.released;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.broker.TestBroker;
import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.CheckpointStore;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.data.DataRoots;
import io.trainyard.event.Control;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Cancelled;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.topics.Brokers;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.training.JobTraining;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;
import io.trainyard.training.Supervisor.Halt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/// The topics, the store and the workers of one test. Tests publish commands and read events here.
final class Fleet implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    /// The heartbeat interval. An owner without heartbeats loses its job after [#LOST_AFTER].
    static final Duration BEAT = Duration.ofMillis(250);

    static final int BEATS = 8;

    /// How long a command waits that no worker understands.
    static final int NEWER_BEATS = 20;

    /// How often a job may be preempted.
    static final int MAX_PREEMPTIONS = 3;

    final String prefix = "fleet-%d.".formatted(NUMBER.incrementAndGet());
    final String kafka;
    final Brokers brokers;
    final ProducerOutbox outbox;
    final CheckpointStore store;
    private final Path folder;
    private final List<FleetWorker> workers = new ArrayList<>();

    Fleet() {
        this(TestBroker.address());
    }

    Fleet(String kafka) {
        this.kafka = kafka;
        this.brokers = Brokers.at(kafka);
        TopicAdmin.createMissing(brokers, prefix, Patience.LIMIT);
        outbox = new ProducerOutbox(kafka, (int) Patience.LIMIT.toMillis());
        try {
            folder = Files.createTempDirectory("fleet");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        store = CheckpointStore.open(folder.toUri());
    }

    EventPublisher publisher(String worker) {
        return new EventPublisher(outbox, prefix, worker);
    }

    FleetWorker start(String worker, JobRunner runner) {
        return start(worker, Set.of("cpu"), runner);
    }

    FleetWorker start(String worker, Set<String> kinds, JobRunner runner) {
        return start(new FleetWorker.Setup(worker, kinds, outbox), runner);
    }

    FleetWorker start(FleetWorker.Setup setup, JobRunner runner) {
        FleetWorker started = new FleetWorker(this, setup, runner);
        workers.add(started);
        return started;
    }

    /// Sets this fleet's lock duration, for tests in which a lock expires or is renewed.
    void lockClaimsFor(Duration lock) {
        TestBroker.lockClaimsFor(lock, brokers, prefix);
    }

    static String job(String id) {
        return """
            {"id": "%s", "network": "lenet", "dataset": "shapes32", "epochs": 1}""".formatted(id);
    }

    void submit(String id) {
        submit(id, job(id).getBytes(StandardCharsets.UTF_8));
    }

    void submit(String key, byte[] body) {
        submit(Topic.COMMANDS_NORMAL, key, body);
    }

    void submit(Topic topic, String key, byte[] body) {
        try {
            var _ = Patience.get(outbox.send(
                    topic.name(prefix),
                    key.getBytes(StandardCharsets.UTF_8),
                    body,
                    CloudEvents.headers(CloudEvents.COMMAND, "/test")));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    void desiredState(String job, DesiredState desiredState) {
        Control control = new Control(job, desiredState, null, Instant.now());
        try {
            var _ = Patience.get(outbox.send(
                    Topic.CONTROL.name(prefix),
                    job.getBytes(StandardCharsets.UTF_8),
                    EventJson.write(control),
                    CloudEvents.headers(CloudEvents.CONTROL, "/test")));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /// Reads a topic from its beginning until the records satisfy `enough`.
    List<ConsumerRecord<byte[], byte[]>> read(Topic topic, Predicate<List<ConsumerRecord<byte[], byte[]>>> enough) {
        List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = List.of(new TopicPartition(topic.name(prefix), 0));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Patience.await("enough records of " + topic).until(() -> {
                consumer.poll(Duration.ofMillis(100)).forEach(read::add);
                return enough.test(read);
            });
        }
        return read;
    }

    List<TrainingEvent> events(Predicate<List<TrainingEvent>> enough) {
        return read(Topic.JOBS, records -> enough.test(decoded(records))).stream()
                .map(Fleet::decoded)
                .toList();
    }

    /// Waits until `count` jobs have finished, and returns the life-cycle events up to then.
    List<TrainingEvent> eventsUntilFinished(int count) {
        return events(events -> events.stream()
                        .filter(Finished.class::isInstance)
                        .map(TrainingEvent::job)
                        .distinct()
                        .count()
                >= count);
    }

    private static List<TrainingEvent> decoded(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream().map(Fleet::decoded).toList();
    }

    static TrainingEvent decoded(ConsumerRecord<byte[], byte[]> record) {
        try {
            return EventJson.readEvent(record.value()).event();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        var header = record.headers().lastHeader(name);
        return header == null ? "(none)" : new String(header.value(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        workers.parallelStream().forEach(FleetWorker::close); // in parallel because each waits for the brokers
        outbox.close();
        deleteFolder();
    }

    /// A superseded attempt may still write, so the deletion is retried.
    private void deleteFolder() {
        Patience.await("the store to be deleted").ignoreExceptions().until(() -> {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
            return true;
        });
    }

    private void end(String job, int attempt, TrainingEvent event) {
        append(job, attempt, new ChainLink.End(json(event)));
    }

    private void append(String job, int attempt, ChainLink link) {
        assertThat(new JobFolder(store, job).append(attempt, link)).isEqualTo(link);
    }

    private static String json(TrainingEvent event) {
        return new String(EventJson.write(event, Instant.now()), StandardCharsets.UTF_8);
    }

    /// Ends an attempt as a real runner does: it stores the outcome, then publishes it.
    Outcome finish(Supervisor supervisor, String job, int attempt) {
        Finished event = finished(job, attempt, 1);
        end(job, attempt, event);
        supervisor.publish(event);
        return new Outcome.Finished(event);
    }

    private Outcome stop(Halt halt, Supervisor supervisor, String job, int attempt) {
        return switch (halt) {
            case DRAIN, PREEMPT -> release(supervisor, job, attempt);
            case PAUSE -> {
                Paused event = new Paused(job, attempt, 0);
                append(job, attempt, new ChainLink.Pause(json(event)));
                supervisor.publish(event);
                yield new Outcome.Paused(event);
            }
            case CANCEL -> {
                Cancelled event = new Cancelled(job, attempt, 0);
                end(job, attempt, event);
                supervisor.publish(event);
                yield new Outcome.Cancelled(event);
            }
        };
    }

    static Outcome release(Supervisor supervisor, String job, int attempt) {
        Released event = supervisor
                .preemptor()
                .map(urgent -> preempted(job, attempt, 0, urgent))
                .orElseGet(() -> released(job, attempt, 0, "the worker stops"));
        supervisor.publish(event);
        return new Outcome.Released(event);
    }

    static Outcome lack(Supervisor supervisor, String job, int attempt) {
        Released event = released(job, attempt, 0, "the dataset is not here");
        supervisor.publish(event);
        return new Outcome.WorkerFault(event, true);
    }

    static Outcome runShort(Supervisor supervisor, String job, int attempt) {
        Released event = released(job, attempt, 0, "memory is short");
        supervisor.publish(event);
        return new Outcome.WorkerFault(event, false);
    }

    static Outcome loseDevice(Supervisor supervisor, String job, int attempt) {
        Released event = released(job, attempt, 0, "cuda:0 is gone");
        supervisor.publish(event);
        return new Outcome.DeviceLost(event);
    }

    /// A runner that behaves like a real one: it publishes events, and stops when asked.
    ///
    /// @param until checked at every step; ends the job
    JobRunner runner(String worker, BooleanSupplier until) {
        return (job, attempt, supervisor) -> {
            supervisor.publish(claimed(job.id(), attempt, worker));
            long step = 0;
            while (!until.getAsBoolean()) {
                Optional<Halt> halt = supervisor.halt();
                if (halt.isPresent()) {
                    return stop(halt.get(), supervisor, job.id(), attempt);
                }
                step++;
                supervisor.publish(losses(job.id(), attempt, 0, step, 1));
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos()); // the duration of a step
            }
            return finish(supervisor, job.id(), attempt);
        };
    }

    /// Really trains.
    JobRunner trainer(Path data, String worker) {
        JobTraining training = new JobTraining(DataRoots.ofFolder(data), DeviceSpec.AUTO, 1, worker);
        return (job, attempt, supervisor) -> training.attempt(job, new JobFolder(store, job.id()), attempt, supervisor);
    }

    JobRunner runner(String worker) {
        return runner(worker, () -> true);
    }
}
