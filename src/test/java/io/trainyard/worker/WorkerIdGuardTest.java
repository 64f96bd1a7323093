package io.trainyard.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.event.WorkerStatus;
import io.trainyard.event.WorkerStatusBuilder;
import io.trainyard.topics.Topic;
import io.trainyard.topics.TopicAdmin;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@Slow
class WorkerIdGuardTest {
    private static final Duration BEAT = Duration.ofMillis(300);

    /// An interval that the guard must not wait for.
    private static final Duration LONG = Patience.LIMIT;

    private final Fleet fleet = new Fleet();
    private final AtomicInteger announced = new AtomicInteger();

    @AfterEach
    void close() {
        fleet.close();
    }

    private CompletableFuture<Void> beat(String worker, boolean stopping) {
        return fleet.publisher(worker).publish(status(worker, stopping), Instant.now());
    }

    private static CompletableFuture<Void> beat(EventPublisher publisher) {
        return publisher.publish(status("w1", false), Instant.now());
    }

    private static WorkerStatus status(String worker, boolean stopping) {
        return WorkerStatusBuilder.of(worker, "cpu").stopping(stopping).build();
    }

    private void beatBefore(String worker, boolean stopping) throws Exception {
        var _ = Patience.get(beat(worker, stopping));
    }

    private CompletableFuture<Void> announce() {
        announced.incrementAndGet();
        return beat("w1", false);
    }

    /// @return the duration of the start
    private Duration start(Duration beat) {
        long beginNanos = System.nanoTime();
        new WorkerIdGuard(fleet.brokers, fleet.prefix, "w1").requireNone(this::announce, beat);
        return Duration.ofNanos(System.nanoTime() - beginNanos);
    }

    @Test
    void theFirstWorkerOfAnIdStarts() throws Exception {
        beatBefore("w2", false);
        assertThat(start(LONG)).isLessThan(LONG);
        assertThat(announced).hasValue(1);
        assertThat(fleet.read(Topic.WORKERS, read -> read.size() >= 2)).hasSize(2);
    }

    @Test
    void aSecondWorkerIsRefused() throws Exception {
        beatBefore("w1", false);
        CompletableFuture<Void> first = CompletableFuture.runAsync(() -> {
            while (announced.get() < 2) {
                beat("w1", false).join();
                pause();
            }
        });
        assertThatThrownBy(() -> start(LONG))
                .isInstanceOf(WorkerIdTakenException.class)
                .hasMessageContaining("\"w1\" is in use")
                .hasMessageContaining("--id");
        announced.set(2);
        Patience.get(first);
    }

    @Test
    void waitsAFewIntervalsForAKilledWorker() throws Exception {
        beatBefore("w1", false);
        assertThat(start(BEAT)).isGreaterThan(BEAT.multipliedBy(WorkerIdGuard.BEATS));
    }

    @Test
    void doesNotWaitForAStoppedWorker() throws Exception {
        beatBefore("w1", false);
        beatBefore("w1", true);
        beatBefore("w2", false);
        assertThat(start(LONG)).isLessThan(LONG);
    }

    @Test
    void stopsWaitingWhenTheOtherStops() throws Exception {
        beatBefore("w1", false);
        CompletableFuture<Void> farewell = CompletableFuture.runAsync(() -> {
            while (announced.get() == 0) {
                pause();
            }
            beat("w1", true).join();
        });
        assertThat(start(LONG)).isLessThan(LONG);
        Patience.get(farewell);
    }

    @Test
    void atMostOneOfTwoStarts() {
        assertThatThrownBy(() -> new WorkerIdGuard(fleet.brokers, fleet.prefix, "w1")
                        .requireNone(
                                () -> beat("w1", false).thenCompose(_ -> announce()), // the other worker is first
                                BEAT))
                .isInstanceOf(WorkerIdTakenException.class);
    }

    /// A new topic is not known to every broker at once. A worker that starts then would receive no heartbeats.
    @Test
    void waitsForANewTopic() throws Exception {
        String prefix = fleet.prefix + "later.";
        CompletableFuture<Void> creation = CompletableFuture.runAsync(
                () -> TopicAdmin.createMissing(fleet.brokers, prefix, Patience.LIMIT),
                CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS));
        EventPublisher publisher = new EventPublisher(fleet.outbox, prefix, "w1");
        assertThatThrownBy(() -> new WorkerIdGuard(fleet.brokers, prefix, "w1")
                        .requireNone(() -> beat(publisher).thenCompose(_ -> beat(publisher)), BEAT))
                .isInstanceOf(WorkerIdTakenException.class);
        Patience.get(creation);
    }

    @Test
    void ignoresInvalidHeartbeats() {
        fleet.submit(Topic.WORKERS, "w1", "{\"worker\": ".getBytes(StandardCharsets.UTF_8));
        fleet.submit(Topic.WORKERS, "w1", "null".getBytes(StandardCharsets.UTF_8));
        assertThat(start(LONG)).isLessThan(LONG);
        assertThat(announced).hasValue(1);
    }

    private static void pause() {
        java.util.concurrent.locks.LockSupport.parkNanos(BEAT.dividedBy(10).toNanos());
    }
}
