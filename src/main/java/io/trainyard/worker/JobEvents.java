package io.trainyard.worker;

import io.trainyard.event.TrainingEvent;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/// The events of one claim on one job, on their way to the brokers. A failed send is remembered: from then on nothing
/// more is taken, and [#acknowledged] fails.
final class JobEvents {
    /// Events that may be on their way at a time; the next one waits. At one event every 100 ms this is 25 s of a
    /// broker that does not answer.
    static final int MAX_IN_FLIGHT = 256;

    private final Function<TrainingEvent, CompletableFuture<Void>> send;
    private final Duration patience;
    private final Semaphore room = new Semaphore(MAX_IN_FLIGHT);
    private final Set<CompletableFuture<Void>> inFlight = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> lost = new CompletableFuture<>();

    /// @param patience how long an event may wait for room
    JobEvents(Function<TrainingEvent, CompletableFuture<Void>> send, Duration patience) {
        this.send = send;
        this.patience = patience;
    }

    /// Sends an event.
    ///
    /// @throws EventsLostException if an earlier one was lost, or there is no room for too long
    @SuppressWarnings("CollectionUndefinedEquality") // a future equals itself only, which is what is meant
    void publish(TrainingEvent event) {
        requireNoneLost();
        awaitRoom();
        CompletableFuture<Void> sent = trySend(event);
        inFlight.add(sent);
        var _ = sent.whenComplete((_, problem) -> {
            if (problem != null) {
                lose(problem);
            }
            inFlight.remove(sent);
            room.release();
        });
    }

    private CompletableFuture<Void> trySend(TrainingEvent event) {
        try {
            return send.apply(event);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void awaitRoom() {
        try {
            if (!room.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                throw lose(new TimeoutException("%d events are on their way, and none has arrived within %d ms"
                        .formatted(MAX_IN_FLIGHT, patience.toMillis())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw lose(e);
        }
    }

    private EventsLostException lose(Throwable problem) {
        EventsLostException loss = new EventsLostException("events could not be published: " + problem, problem);
        lost.completeExceptionally(loss); // the first one counts
        return loss;
    }

    private void requireNoneLost() {
        if (isLost() && lost.exceptionNow() instanceof EventsLostException loss) {
            throw new EventsLostException(String.valueOf(loss.getMessage()), loss);
        }
    }

    /// Takes nothing more: what a job that was given up still says is not heard.
    void close() {
        var _ = lose(new IllegalStateException("the job was given up"));
    }

    /// True once an event was lost.
    boolean isLost() {
        return lost.isCompletedExceptionally();
    }

    /// Fails with [EventsLostException] when an event is lost; never completes otherwise.
    CompletableFuture<Void> loss() {
        return lost;
    }

    /// Done when all events published so far are with the brokers; fails with [EventsLostException] if one was lost.
    CompletableFuture<Void> acknowledged() {
        return CompletableFuture.allOf(inFlight.toArray(CompletableFuture<?>[]::new))
                .handle((_, problem) -> {
                    if (problem != null) {
                        throw lose(problem);
                    }
                    requireNoneLost();
                    return null;
                });
    }
}
