package io.trainyard.worker;

import static io.trainyard.event.SampleEvents.claimed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trainyard.Patience;
import io.trainyard.event.TrainingEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class JobEventsTest {
    private static final TrainingEvent EVENT = claimed("job", 3, "w");

    private final List<CompletableFuture<Void>> sent = new ArrayList<>();
    private final JobEvents events = new JobEvents(
            _ -> {
                CompletableFuture<Void> future = new CompletableFuture<>();
                sent.add(future);
                return future;
            },
            Duration.ofMillis(50));

    @Test
    void isAcknowledgedWhenTheLastIs() {
        events.publish(EVENT);
        events.publish(EVENT);
        CompletableFuture<Void> acknowledged = events.acknowledged();
        sent.getLast().complete(null);
        assertThat(acknowledged).isNotDone();
        sent.getFirst().complete(null);
        assertThat(acknowledged).isCompleted();
    }

    @Test
    void remembersThatOneWasLost() {
        events.publish(EVENT);
        sent.getFirst().completeExceptionally(new IllegalStateException("too large"));
        assertThat(events.isLost()).isTrue();
        assertThat(events.acknowledged())
                .isCompletedExceptionally()
                .failsWithin(Duration.ofSeconds(1))
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(EventsLostException.class)
                .withMessageContaining("too large");
        assertThatThrownBy(() -> events.publish(EVENT)).isInstanceOf(EventsLostException.class);
        assertThat(sent).hasSize(1);
    }

    @Test
    void boundsWhatIsOnItsWay() {
        for (int i = 0; i < JobEvents.MAX_IN_FLIGHT; i++) {
            events.publish(EVENT);
        }
        assertThatThrownBy(() -> events.publish(EVENT))
                .isInstanceOf(EventsLostException.class)
                .hasMessageContaining(Integer.toString(JobEvents.MAX_IN_FLIGHT));
    }

    @Test
    void goesOnWhenThereIsRoomAgain() throws InterruptedException {
        JobEvents patient = new JobEvents(
                _ -> {
                    CompletableFuture<Void> future = new CompletableFuture<>();
                    synchronized (sent) {
                        sent.add(future);
                    }
                    return future;
                },
                Patience.LIMIT);
        CountDownLatch through = new CountDownLatch(1);
        Thread.ofPlatform().daemon().start(() -> {
            for (int i = 0; i <= JobEvents.MAX_IN_FLIGHT; i++) {
                patient.publish(EVENT);
            }
            through.countDown();
        });
        Patience.await("as many events on their way as there may be").until(() -> {
            synchronized (sent) {
                return sent.size() == JobEvents.MAX_IN_FLIGHT;
            }
        });
        assertThat(through.getCount()).isOne();
        sent.getFirst().complete(null);
        assertThat(through.await(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void takesNothingAfterTheJobWasGivenUp() {
        events.close();
        assertThatThrownBy(() -> events.publish(EVENT)).isInstanceOf(EventsLostException.class);
        assertThat(sent).isEmpty();
    }
}
