package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.claimed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Patience;
import io.trainyard.event.TrainingEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class JobEventsTest {
    private static final Instant NOW = Instant.parse("2026-11-22T03:04:05.678Z");
    private static final SerializedEvent LINE = line(3);

    private final List<CompletableFuture<Void>> sent = new ArrayList<>();
    private final JobEvents events = new JobEvents(_ -> {
        CompletableFuture<Void> future = new CompletableFuture<>();
        synchronized (sent) {
            sent.add(future);
        }
        return future;
    });

    private static SerializedEvent line(int attempt) {
        return SerializedEvent.of(claimed("job", attempt, "w"), NOW, "w");
    }

    private void publish() {
        events.publish(LINE);
    }

    @Test
    void isAcknowledgedWithTheLastEvent() {
        publish();
        publish();
        CompletableFuture<Void> acknowledged = events.acknowledged();
        sent.getLast().complete(null);
        assertThat(acknowledged).isNotDone();
        sent.getFirst().complete(null);
        assertThat(acknowledged).isCompleted();
    }

    /// Consumers read the topics in parallel, so an end must not arrive before earlier events.
    @Test
    void sendsTheEndAfterAllOtherEvents() {
        publish();
        publish();
        events.publish(SerializedEvent.of(new TrainingEvent.Failed("job", 3, "why", "other"), NOW, "w"));
        CompletableFuture<Void> acknowledged = events.acknowledged();
        sent.get(1).complete(null);
        assertThat(sent).hasSize(2);
        sent.get(0).complete(null);
        assertThat(sent).hasSize(3);
        assertThat(acknowledged).isNotDone();
        sent.get(2).complete(null);
        assertThat(acknowledged).isCompleted();
    }

    @Test
    void acceptsNothingAfterALostEvent() {
        publish();
        sent.getFirst().completeExceptionally(new IllegalStateException("too large"));
        assertThat(events.isLost()).isTrue();
        assertThat(events.acknowledged())
                .isCompletedExceptionally()
                .failsWithin(Duration.ofSeconds(1))
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(EventsLostException.class)
                .withMessageContaining("too large");
        assertThatThrownBy(this::publish).isInstanceOf(EventsLostException.class);
        assertThat(sent).hasSize(1);
    }

    @Test
    void returnsUnacknowledgedEventsInOrder() {
        List<SerializedEvent> arrivals = List.of(line(1), line(2), line(3));
        arrivals.forEach(events::publish);
        sent.get(1).complete(null);
        assertThat(events.unacknowledged()).containsExactly(arrivals.get(0), arrivals.get(2));
    }

    /// A checkpoint that is saved before the attempt notices the refusal must contain the refused event.
    @Test
    void refusedEventsStayUnacknowledged() {
        List<SerializedEvent> arrivals = List.of(line(1), line(2));
        arrivals.forEach(events::publish);
        CompletableFuture<Void> acknowledged = events.acknowledged();
        sent.getFirst().completeExceptionally(new IllegalStateException("refused"));
        sent.getLast().complete(null);
        assertThat(events.unacknowledged()).containsExactly(arrivals.getFirst());
        assertThat(acknowledged).isCompletedExceptionally();
        assertThat(events.acknowledged()).isCompletedExceptionally();
    }

    /// A long broker outage blocks the training thread only, and only at a step boundary.
    @Test
    void waitsForCapacity() throws InterruptedException {
        CountDownLatch through = new CountDownLatch(1);
        Thread publisher = Thread.ofPlatform().daemon().start(() -> {
            for (int i = 0; i <= JobEvents.MAX_IN_FLIGHT; i++) {
                publish();
            }
            through.countDown();
        });
        Patience.await("as many events on their way as there may be, and a thread that waits")
                .until(() -> {
                    synchronized (sent) {
                        return sent.size() == JobEvents.MAX_IN_FLIGHT && publisher.getState() == Thread.State.WAITING;
                    }
                });
        assertThat(through.getCount()).isOne();
        sent.getFirst().complete(null);
        assertThat(through.await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void acceptsNothingAfterClose() {
        events.close();
        assertThatThrownBy(this::publish).isInstanceOf(EventsLostException.class);
        assertThat(sent).isEmpty();
    }
}
