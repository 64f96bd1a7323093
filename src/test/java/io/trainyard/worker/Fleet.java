package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.claimed;
import static io.trainyard.event.SampleEvents.finished;
import static io.trainyard.event.SampleEvents.losses;
import static io.trainyard.event.SampleEvents.released;
import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.broker.TestBroker;
import io.trainyard.event.EventJson;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.CloudEvents;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/// The topics of one test, and what stands around a claim loop: commands go in here, events are read here.
final class Fleet implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    final String prefix = "fleet-%d.".formatted(NUMBER.incrementAndGet());
    final String kafka;
    final ProducerOutbox outbox;
    private final List<ClaimLoop> loops = new ArrayList<>();

    Fleet() {
        this(TestBroker.address(), Patience.LIMIT);
    }

    Fleet(String kafka, Duration deliveryTimeout) {
        this.kafka = kafka;
        TopicAdmin.createMissing(kafka, prefix, Patience.LIMIT);
        outbox = new ProducerOutbox(kafka, (int) deliveryTimeout.toMillis());
    }

    EventPublisher publisher(String worker) {
        return new EventPublisher(outbox, prefix, worker, Patience.LIMIT);
    }

    ClaimLoop start(String worker, JobRunner runner) {
        return start(worker, runner, new Activity());
    }

    ClaimLoop start(String worker, JobRunner runner, Activity activity) {
        return start(worker, Set.of("cpu"), runner, activity);
    }

    ClaimLoop start(String worker, Set<String> kinds, JobRunner runner, Activity activity) {
        ClaimLoop loop = new ClaimLoop(
                new ClaimLoop.Settings(kafka, prefix, worker, kinds, Patience.LIMIT, Patience.LIMIT),
                runner,
                publisher(worker),
                activity);
        loop.start();
        loops.add(loop);
        return loop;
    }

    /// Locks this fleet's claims for a time of their own, as a test needs that sees them lapse or renewed.
    void lockClaimsFor(Duration lock) {
        TestBroker.lockClaimsFor(lock, kafka, prefix);
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

    /// Reads a topic from its beginning until `enough` of what was read.
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

    /// Waits until `count` jobs have finished, and gives the life-cycle events up to then.
    List<TrainingEvent> eventsUntilFinished(int count) {
        return events(events -> events.stream()
                        .filter(Finished.class::isInstance)
                        .map(TrainingEvent::job)
                        .distinct()
                        .count()
                >= count);
    }

    /// What holds of a job whatever becomes of its claims: each claim is the next attempt. One that was lost unnoticed
    /// may end after the next has begun.
    static void assertAttemptsAreNumbered(List<TrainingEvent> events) {
        Map<String, Integer> attempts = new HashMap<>();
        for (TrainingEvent event : events) {
            if (event instanceof Claimed) {
                assertThat(event.attempt()).isEqualTo(attempts.merge(event.job(), 1, Integer::sum));
            } else if (event instanceof Finished) {
                assertThat(event.attempt()).isBetween(1, attempts.get(event.job()));
            }
        }
    }

    private static List<TrainingEvent> decoded(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream().map(Fleet::decoded).toList();
    }

    static TrainingEvent decoded(ConsumerRecord<byte[], byte[]> record) {
        try {
            return EventJson.readEvent(record.value());
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
        loops.forEach(ClaimLoop::close);
        outbox.close();
    }

    /// Ends an attempt as a real one ends: what the last event tells, the outcome says.
    static Outcome finish(Supervisor supervisor, String job, int attempt) {
        Finished event = finished(job, attempt, 1);
        supervisor.tell(event);
        return new Outcome.Finished(event);
    }

    static Outcome release(Supervisor supervisor, String job, int attempt) {
        Released event = released(job, attempt, 0, "the worker stops");
        supervisor.tell(event);
        return new Outcome.Released(event);
    }

    static Outcome loseDevice(Supervisor supervisor, String job, int attempt) {
        Released event = released(job, attempt, 0, "cuda:0 is gone");
        supervisor.tell(event);
        return new Outcome.DeviceLost(event);
    }

    /// A runner with the shape of a real one: it numbers attempts, tells its events, stops when asked.
    static final class Runner implements JobRunner {
        private final Map<String, Integer> attempts;
        private final String worker;
        private final BooleanSupplier until;

        /// @param attempts shared by the runners of a fleet, as the checkpoint store is
        /// @param until when a job is done; asked at every step
        Runner(String worker, Map<String, Integer> attempts, BooleanSupplier until) {
            this.worker = worker;
            this.attempts = attempts;
            this.until = until;
        }

        Runner(String worker) {
            this(worker, new ConcurrentHashMap<>(), () -> true);
        }

        @Override
        public Outcome run(JobSpec job, Supervisor supervisor) {
            int attempt = attempts.merge(job.id(), 1, Integer::sum);
            supervisor.tell(claimed(job.id(), attempt, worker));
            long step = 0;
            while (!until.getAsBoolean()) {
                if (supervisor.stopRequested()) {
                    return release(supervisor, job.id(), attempt);
                }
                step++;
                supervisor.tell(losses(job.id(), attempt, 0, step, 1));
                java.util.concurrent.locks.LockSupport.parkNanos(
                        Duration.ofMillis(20).toNanos()); // a step takes time
            }
            return finish(supervisor, job.id(), attempt);
        }
    }
}
