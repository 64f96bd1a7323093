package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.claimed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Patience;
import io.trainyard.Slow;
import io.trainyard.broker.EmbeddedBroker;
import io.trainyard.broker.TestBroker;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.TrainingEvent.Finished;
import io.trainyard.topics.Topic;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.LogRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Slow
class LostClaimTest {
    /// A third of it after the broker forgot it, the worker asks for more.
    private static final Duration LOCK = Duration.ofSeconds(6);

    @TempDir
    Path folder;

    @Test
    void aJobIsDoneAgainAfterTheBrokerForgotItsLock() {
        EmbeddedBroker broker = EmbeddedBroker.start(folder, 0, "unused.", TestBroker.settings(LOCK));
        Map<String, Integer> attempts = new ConcurrentHashMap<>();
        AtomicBoolean finish = new AtomicBoolean();
        try (Fleet fleet = new Fleet(broker.address(), Patience.LIMIT)) {
            fleet.start("w", new Fleet.Runner("w", attempts, finish::get));
            fleet.submit("job");
            fleet.events(events -> !events.isEmpty());

            broker.close();
            broker = EmbeddedBroker.start(folder, broker.port(), "unused.", TestBroker.settings(LOCK));

            fleet.events(events -> events.stream().anyMatch(event -> event instanceof Claimed && event.attempt() == 2));
            finish.set(true);
            List<TrainingEvent> events = fleet.eventsUntilFinished(1);
            assertThat(events.getLast()).isInstanceOf(Finished.class);
            Fleet.assertAttemptsAreNumbered(events);
        } finally {
            broker.close();
        }
    }

    @Test
    void aJobWhoseEventsWereLostIsDoneAgain() {
        try (Fleet fleet = new Fleet();
                LogRecords log = LogRecords.of(ClaimLoop.class)) {
            AtomicInteger sends = new AtomicInteger();
            Outbox failsOnce = (topic, key, value, headers) -> sends.getAndIncrement() == 0
                    ? CompletableFuture.failedFuture(new IllegalStateException("the first is lost"))
                    : fleet.outbox.send(topic, key, value, headers);
            try (ClaimLoop loop = new ClaimLoop(
                    new ClaimLoop.Settings(
                            fleet.kafka, fleet.prefix, "w", Set.of("cpu"), Patience.LIMIT, Patience.LIMIT),
                    new Fleet.Runner("w"),
                    new EventPublisher(failsOnce, fleet.prefix, "w", Patience.LIMIT),
                    new Activity())) {
                loop.start();
                fleet.submit("job");
                List<TrainingEvent> events = fleet.eventsUntilFinished(1);
                assertThat(events).hasSize(2).allMatch(event -> event.attempt() == 2);
                assertThat(log.warnings()).singleElement().satisfies(warning -> {
                    assertThat(warning.getMessage())
                            .startsWith("worker=w has no claim any more and begins anew in ")
                            .endsWith("the first is lost");
                    assertThat(warning.getThrown())
                            .as("a stack, which tells nobody more")
                            .isNull();
                });
            }
        }
    }

    /// What nobody expected has to be found in the code.
    @Test
    void anErrorOfTheWorkersOwnIsLoggedWithItsStack() {
        try (Fleet fleet = new Fleet();
                LogRecords log = LogRecords.of(ClaimLoop.class)) {
            AtomicInteger sends = new AtomicInteger();
            Outbox brokenOnce = (topic, key, value, headers) -> {
                if (sends.getAndIncrement() == 0) {
                    throw new IllegalStateException("broken");
                }
                return fleet.outbox.send(topic, key, value, headers);
            };
            try (ClaimLoop loop = new ClaimLoop(
                    new ClaimLoop.Settings(
                            fleet.kafka, fleet.prefix, "w", Set.of("cpu"), Patience.LIMIT, Patience.LIMIT),
                    new Fleet.Runner("w"),
                    new EventPublisher(brokenOnce, fleet.prefix, "w", Patience.LIMIT),
                    new Activity())) {
                loop.start();
                fleet.submit("bad", "{".getBytes(StandardCharsets.UTF_8));
                assertThat(fleet.read(Topic.DEAD_LETTER, read -> !read.isEmpty()))
                        .hasSize(1);
                assertThat(log.warnings())
                        .extracting(LogRecord::getThrown)
                        .singleElement()
                        .isInstanceOf(IllegalStateException.class);
            }
        }
    }

    @Test
    void aJobThatDoesNotStopEndsTheLoopSoThatTheProcessCanBeStartedAnew() {
        CountDownLatch never = new CountDownLatch(1);
        try (Fleet fleet = new Fleet();
                ClaimLoop loop = new ClaimLoop(
                        new ClaimLoop.Settings(
                                fleet.kafka,
                                fleet.prefix,
                                "w",
                                Set.of("cpu"),
                                Duration.ofMillis(200),
                                Duration.ofSeconds(1)),
                        (job, supervisor) -> {
                            boolean ignored = false;
                            while (!ignored) {
                                try {
                                    supervisor.tell(claimed(job.id(), 1, "w"));
                                    never.await();
                                    ignored = true;
                                } catch (InterruptedException | EventsLostException _) {
                                    ignored = never.getCount() == 0; // deaf to both
                                }
                            }
                            return Fleet.finish(supervisor, job.id(), 1);
                        },
                        new EventPublisher(
                                (_, _, _, _) -> CompletableFuture.failedFuture(new IllegalStateException("lost")),
                                fleet.prefix,
                                "w",
                                Patience.LIMIT),
                        new Activity())) {
            loop.start();
            fleet.submit("job");
            assertThatThrownBy(() -> Patience.get(loop.ended())).hasMessageContaining("does not stop");
        } finally {
            never.countDown();
        }
    }

    @Test
    void aFlushFailsWhenTheBrokerIsGone() {
        try (EmbeddedBroker broker = EmbeddedBroker.start(folder, 0, "unused.", TestBroker.settings(LOCK));
                Fleet fleet = new Fleet(broker.address(), Duration.ofSeconds(1))) {
            AtomicReference<JobEvents> arrived = new AtomicReference<>();
            Patience.await("an event to arrive within the delivery timeout")
                    .ignoreExceptionsMatching(problem -> problem.getCause() instanceof EventsLostException)
                    .until(() -> {
                        JobEvents some = fleet.publisher("w").open(new RecordHeaders(), _ -> {});
                        some.publish(claimed("job", 1, "w"));
                        var _ = Patience.get(some.acknowledged());
                        arrived.set(some);
                        return true;
                    });
            JobEvents events = Objects.requireNonNull(arrived.get());
            broker.close();
            events.publish(claimed("job", 2, "w"));
            assertThatThrownBy(() -> Patience.get(events.acknowledged())).hasCauseInstanceOf(EventsLostException.class);
        }
    }
}
