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

/// The events of one attempt that are in flight. While the brokers are away, events collect here; at the limit
/// the attempt blocks at a step boundary.
///
/// The event that ends the attempt is sent after all others were acknowledged: readers read several topics in
/// parallel and must have everything when they read the end.
///
/// After the brokers refuse an event, no more are accepted and [#acknowledged] fails.
final class JobEvents {
    /// At ten events a second, the usual rate of a job, this lasts for more than three minutes without brokers.
    static final int MAX_IN_FLIGHT = 2048;

    private final Function<SerializedEvent, CompletableFuture<Void>> send;
    private final Semaphore capacity = new Semaphore(MAX_IN_FLIGHT);
    private final SortedMap<Long, SerializedEvent> inFlight = new TreeMap<>(); // in the order of publishing
    private final CompletableFuture<Void> lost = new CompletableFuture<>();
    private final List<Waiting> waiting = new ArrayList<>();
    private long published;
    private volatile boolean closed;

    /// A future that completes when all events before a number are acknowledged.
    private record Waiting(long before, CompletableFuture<Void> done) {}

    /// @param send reports failures through its future only
    JobEvents(Function<SerializedEvent, CompletableFuture<Void>> send) {
        this.send = send;
    }

    /// Sends an event.
    ///
    /// @throws EventsLostException if an earlier one was refused, or the attempt was given up
    void publish(SerializedEvent event) {
        requireNoneLost();
        awaitCapacity();
        long number;
        CompletableFuture<Void> before;
        synchronized (inFlight) {
            before = endsAttempt(event.event()) ? acknowledged() : CompletableFuture.completedFuture(null);
            number = published++;
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
            // It stays unacknowledged: a checkpoint that is saved now must contain it, so that it can be
            // published later.
        }
        List<Waiting> over;
        synchronized (inFlight) {
            if (problem == null) {
                inFlight.remove(number);
            }
            long first = inFlight.isEmpty() ? published : inFlight.firstKey();
            over = waiting.stream()
                    .filter(one -> problem != null || one.before() <= first)
                    .toList();
            waiting.removeAll(over);
        }
        capacity.release();
        over.forEach(one -> settle(one.done()));
    }

    private void awaitCapacity() {
        try {
            capacity.acquire();
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

    void close() {
        closed = true;
    }

    boolean isLost() {
        return lost.isCompletedExceptionally();
    }

    /// The events that the brokers may not have, in order, including refused ones.
    List<SerializedEvent> unacknowledged() {
        synchronized (inFlight) {
            return List.copyOf(inFlight.values());
        }
    }

    int waiting() {
        synchronized (inFlight) {
            return inFlight.size();
        }
    }

    /// Completes when the brokers have all events published so far; fails with [EventsLostException] if one was
    /// refused.
    CompletableFuture<Void> acknowledged() {
        CompletableFuture<Void> all = new CompletableFuture<>();
        synchronized (inFlight) {
            if (!inFlight.isEmpty() && !isLost()) {
                waiting.add(new Waiting(published, all));
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
