package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.broker.TestBroker;
import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.topics.Topic;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A worker that can fetch commands but not publish must not use up their deliveries.
@Slow
class ClaimGateTest {
    private static final Duration WHILE = Duration.ofSeconds(6);

    private final Fleet fleet = new Fleet();
    private final WrongClock clock = new WrongClock(Duration.ofHours(2));
    private final ClockOutbox clockOutbox = new ClockOutbox(clock);

    @AfterEach
    void close() {
        fleet.close();
        clockOutbox.close();
    }

    /// A host with a wrong wall clock.
    private static final class WrongClock implements Host {
        private final Host machine = new SystemHost();
        final AtomicReference<Duration> ahead;

        WrongClock(Duration ahead) {
            this.ahead = new AtomicReference<>(ahead);
        }

        @Override
        public Thread start(String name, Runnable body) {
            return machine.start(name, body);
        }

        @Override
        public long nanoTime() {
            return machine.nanoTime();
        }

        @Override
        public Instant now() {
            return machine.now().plus(ahead.get());
        }

        @Override
        public long residentBytes() {
            return machine.residentBytes();
        }

        @Override
        public <T extends @Nullable Object> T await(CompletableFuture<T> work, Duration bound)
                throws InterruptedException, ExecutionException, TimeoutException {
            return machine.await(work, bound);
        }
    }

    /// Timestamps records with the host's wall clock, as [ChannelOutbox] does.
    private static final class ClockOutbox implements Outbox, AutoCloseable {
        private final Host machine;
        private final KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", TestBroker.address(), "acks", "all"),
                new ByteArraySerializer(),
                new ByteArraySerializer());

        ClockOutbox(Host machine) {
            this.machine = machine;
        }

        @Override
        public CompletableFuture<Void> send(
                String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
            CompletableFuture<Void> sent = new CompletableFuture<>();
            var _ = producer.send(
                    new ProducerRecord<>(topic, null, machine.now().toEpochMilli(), key, value, headers),
                    (_, problem) -> {
                        if (problem == null) {
                            sent.completeAsync(() -> null);
                        } else {
                            sent.completeExceptionally(problem);
                        }
                    });
            return sent;
        }

        @Override
        public void close() {
            producer.close(Duration.ofSeconds(1));
        }
    }

    private void assertUnclaimed(String job) throws InterruptedException {
        Thread.sleep(WHILE.toMillis());
        assertThat(new JobFolder(fleet.store, job).chain().last()).isZero();
    }

    private ChainLink.Owner owner(String job, int attempt) {
        return (ChainLink.Owner) new JobFolder(fleet.store, job).link(attempt).orElseThrow();
    }

    private void assertEndedAfterOneAttempt(String job) {
        JobFolder folder = new JobFolder(fleet.store, job);
        assertThat(folder.link(1)).containsInstanceOf(ChainLink.Owner.class);
        assertThat(folder.link(2)).containsInstanceOf(ChainLink.End.class);
    }

    private void assertFirstDelivery(String job) {
        assertThat(owner(job, 1).delivery()).isEqualTo(1);
    }

    @Test
    void aWorkerWithAWrongClockClaimsNothing() throws Exception {
        fleet.submit("job");
        FleetWorker worker =
                fleet.start(new FleetWorker.Setup("ahead", Set.of("cpu"), clockOutbox), fleet.runner("ahead"), clock);
        assertUnclaimed("job");
        assertThat(worker.activity.trouble()).contains("clock", "ahead of");
        fleet.start("right", fleet.runner("right"));
        fleet.eventsUntilFinished(1);
        assertFirstDelivery("job");
        assertEndedAfterOneAttempt("job");

        clock.ahead.set(Duration.ZERO);
        Patience.await("the worker to claim again").until(() -> worker.activity.trouble() == null);
    }

    @Test
    void aWorkerWithoutWritePermissionClaimsNothing() throws Exception {
        Outbox forbidden = (topic, key, value, headers) -> topic.equals(Topic.OWNERSHIP.name(fleet.prefix))
                ? CompletableFuture.failedFuture(new TopicAuthorizationException(topic))
                : fleet.outbox.send(topic, key, value, headers);
        fleet.submit("job");
        FleetWorker worker = fleet.start(new FleetWorker.Setup("w", Set.of("cpu"), forbidden), fleet.runner("w"));
        assertUnclaimed("job");
        assertThat(worker.activity.trouble()).contains("TopicAuthorizationException");
        fleet.start("allowed", fleet.runner("allowed"));
        fleet.eventsUntilFinished(1);
        assertFirstDelivery("job");
    }

    /// Blocks ownership records, like a partition with too few replicas or without a leader.
    private final class StuckOwnership implements Outbox {
        final AtomicReference<CompletableFuture<Void>> opened = new AtomicReference<>(CompletableFuture.allOf());

        @Override
        public CompletableFuture<Void> send(
                String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
            return topic.equals(Topic.OWNERSHIP.name(fleet.prefix))
                    ? opened.get().thenCompose(_ -> fleet.outbox.send(topic, key, value, headers))
                    : fleet.outbox.send(topic, key, value, headers);
        }
    }

    @Test
    void aWorkerWhoseOwnershipIsNotAcknowledgedClaimsNothing() throws Exception {
        StuckOwnership outbox = new StuckOwnership();
        CompletableFuture<Void> open = new CompletableFuture<>();
        outbox.opened.set(open);
        fleet.submit("job");
        fleet.start(new FleetWorker.Setup("w", Set.of("cpu"), outbox), fleet.runner("w"));
        assertUnclaimed("job");
        open.complete(null);
        fleet.eventsUntilFinished(1);
        assertFirstDelivery("job");
    }

    /// The brokers stop acknowledging records after the worker has fetched the command.
    @Test
    void aWorkerHoldsItsCommandUntilItsOwnershipIsAcknowledged() throws Exception {
        StuckOwnership outbox = new StuckOwnership();
        FleetWorker worker = fleet.start(new FleetWorker.Setup("w", Set.of("cpu"), outbox), fleet.runner("w"));
        fleet.submit("before");
        fleet.eventsUntilFinished(1);
        fleet.lockClaimsFor(Duration.ofSeconds(8));
        CompletableFuture<Void> open = new CompletableFuture<>();
        outbox.opened.set(open);
        fleet.submit("job");
        Patience.await("the claim to be held").until(() -> worker.activity.trouble() != null);
        Thread.sleep(Duration.ofSeconds(4)); // the lock would have expired
        open.complete(null);
        fleet.eventsUntilFinished(2);
        assertFirstDelivery("job");
        assertEndedAfterOneAttempt("job");
    }
}
