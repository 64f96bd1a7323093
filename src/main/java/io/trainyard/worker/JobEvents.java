package io.trainyard.worker;

import io.trainyard.event.TrainingEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The events of one attempt, on their way to the brokers. While these are away, events wait here; when there is no
/// more room, the attempt waits, at a step boundary, for as long as it takes.
///
/// What ends the attempt is sent when all before it has arrived: topics are read side by side, and who reads the
/// end has the whole story.
///
/// An event that the brokers refuse is remembered: from then on nothing more is taken, and [#acknowledged] fails.
final class JobEvents {
    /// Events that may be on their way. At ten a second, of which a training job tells about as many, it is more
    /// than three minutes of brokers that are away.
    static final int MAX_IN_FLIGHT = 2048;

    private final Function<EventLine, CompletableFuture<Void>> send;
    private final Semaphore room = new Semaphore(MAX_IN_FLIGHT);
    private final SortedMap<Long, EventLine> inFlight = new TreeMap<>(); // in the order in which they were told
    private final CompletableFuture<Void> lost = new CompletableFuture<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private long told;
    private volatile boolean closed;

    /// Waits for the brokers to have all events before one.
    private record Waiting(long before, CompletableFuture<Void> done) {}

    /// @param send never fails but by its result
    JobEvents(Function<EventLine, CompletableFuture<Void>> send) {
        this.send = send;
    }

    /// Sends an event.
    ///
    /// @throws EventsLostException if an earlier one was refused, or the attempt was given up
    void publish(EventLine event) {
        requireNoneLost();
        awaitRoom();
        long number;
        CompletableFuture<Void> before;
        synchronized (inFlight) {
            before = endsAttempt(event.event()) ? acknowledged() : CompletableFuture.completedFuture(null);
            number = told++;
            inFlight.put(number, event);
        }
        var _ = before.thenCompose(_ -> send.apply(event)).whenComplete((_, problem) -> arrived(number, problem));
    }

    private static boolean endsAttempt(TrainingEvent event) {
        return switch (event) {
            case TrainingEvent.Finished _,
                    TrainingEvent.Failed _,
                    TrainingEvent.Cancelled _,
                    TrainingEvent.Expanded _,
                    TrainingEvent.Released _,
                    TrainingEvent.Paused _ -> true;
            case TrainingEvent.Claimed _,
                    TrainingEvent.Started _,
                    TrainingEvent.StepLosses _,
                    TrainingEvent.EpochTested _,
                    TrainingEvent.CheckpointSaved _,
                    TrainingEvent.Resumed _ -> false;
        };
    }

    private void arrived(long number, @Nullable Throwable problem) {
        if (problem != null) {
            lose(problem);
            // It stays among the unacknowledged: a checkpoint that is saved now must keep it, or nobody could tell it.
        }
        List<Waiting> over;
        synchronized (inFlight) {
            if (problem == null) {
                inFlight.remove(number);
            }
            long first = inFlight.isEmpty() ? told : inFlight.firstKey();
            over = waiting.stream()
                    .filter(one -> problem != null || one.before() <= first)
                    .toList();
            waiting.removeAll(over);
        }
        room.release();
        over.forEach(one -> settle(one.done()));
    }

    private void awaitRoom() {
        try {
            room.acquire();
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
        if (closed) {
            throw new EventsLostException("the attempt was given up", null);
        }
        if (lost.isCompletedExceptionally() && lost.exceptionNow() instanceof EventsLostException loss) {
            throw new EventsLostException(String.valueOf(loss.getMessage()), loss);
        }
    }

    /// Takes nothing more: what an attempt that was given up still says is not heard.
    void close() {
        closed = true;
    }

    /// True once an event was refused.
    boolean isLost() {
        return lost.isCompletedExceptionally();
    }

    /// What was told and may not have arrived, in its order; what was refused, too.
    List<EventLine> unacknowledged() {
        synchronized (inFlight) {
            return List.copyOf(inFlight.values());
        }
    }

    /// How many those are.
    int waiting() {
        synchronized (inFlight) {
            return inFlight.size();
        }
    }

    /// Done when all events published so far are with the brokers; fails with [EventsLostException] if one was
    /// refused.
    CompletableFuture<Void> acknowledged() {
        CompletableFuture<Void> all = new CompletableFuture<>();
        synchronized (inFlight) {
            if (!inFlight.isEmpty() && !isLost()) {
                waiting.add(new Waiting(told, all));
                return all;
            }
        }
        settle(all);
        return all;
    }

    private void settle(CompletableFuture<Void> all) {
        if (isLost()) {
            all.completeExceptionally(lost.exceptionNow());
        } else {
            all.complete(null);
        }
    }
}
