package io.trainyard.worker;

import io.trainyard.event.TrainingEvent.Finished;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/// The slots of a worker. Each is a thread that runs a job, watches it and publishes its outcome. For the
/// claiming thread.
final class Slots {
    private static final System.Logger LOG = System.getLogger(Slots.class.getName());

    private final WorkerContext context;
    private final JobRunner runner;
    private final StopSignal stop;
    private final CircuitBreaker breaker;
    private final AttemptRunner attempts;
    private final JobLog log;
    private final List<CompletableFuture<Void>> occupied = new ArrayList<>(); // each completes when its slot is free
    private CompletableFuture<?> change = CompletableFuture.completedFuture(null); // completes when the next one does

    /// @param stop ends all jobs; a slot requests it if only a new process can go on
    Slots(WorkerContext context, JobRunner runner, StopSignal stop, CircuitBreaker breaker) {
        this.context = context;
        this.runner = runner;
        this.stop = stop;
        this.breaker = breaker;
        this.attempts = new AttemptRunner(context, stop, breaker);
        this.log = new JobLog(context.rules().worker());
    }

    /// Waits for a free slot, at most for `time`.
    boolean awaitFree(Duration time) throws InterruptedException {
        if (isFull()) {
            await(change, time);
        }
        return !isFull();
    }

    private boolean isFull() {
        occupied.removeIf(CompletableFuture::isDone);
        return occupied.size() >= context.rules().slots();
    }

    void start(ClaimedAttempt claimed) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        occupied.add(done);
        change = CompletableFuture.anyOf(occupied.toArray(CompletableFuture<?>[]::new));
        claimed.activity().begin();
        var _ = context.host().start("slot-" + claimed.id(), () -> {
            try {
                run(claimed);
                done.complete(null);
            } catch (RuntimeException e) { // while publishing the outcome: an ownership monitor recovers the job
                LOG.log(
                        System.Logger.Level.ERROR,
                        "worker=" + context.rules().worker() + " lets go of " + claimed.id(),
                        e);
                breaker.refused(e.toString());
                done.complete(null);
            } catch (InterruptedException | Error e) {
                stop.request();
                done.completeExceptionally(e);
            }
        });
    }

    private void run(ClaimedAttempt claimed) throws InterruptedException {
        try {
            boolean stopped = attempts.run(claimed, runner, events(claimed));
            if (!stopped && !stop.isRequested()) {
                breaker.hangs(claimed.id());
            }
            if (breaker.restart().isPresent()) {
                stop.request(); // the other slots requeue their jobs if they can
            }
        } finally {
            claimed.activity().end();
        }
    }

    private JobEvents events(ClaimedAttempt claimed) {
        JobEvents events = new JobEvents(line -> {
            if (line.event() instanceof Finished) {
                KillPoint.PUBLISHING_OUTCOME.reach();
            }
            claimed.activity().see(line);
            log.see(line.event());
            claimed.trace().see(line.event(), line.time());
            return context.publisher().publish(line, claimed.trace().traceParent());
        });
        claimed.activity().sends(events);
        return events;
    }

    /// Waits until all are free after a stop, each within the grace period.
    ///
    /// @throws ExecutionException if a thread failed unexpectedly
    void awaitAllFree() throws InterruptedException, ExecutionException {
        CompletableFuture<Void> all = CompletableFuture.allOf(occupied.toArray(CompletableFuture<?>[]::new));
        while (!all.isDone()) {
            await(all, context.rules().grace());
        }
        var _ = all.getNow(null);
    }

    private void await(CompletableFuture<?> work, Duration time) throws InterruptedException {
        try {
            var _ = context.host().await(work, time);
        } catch (TimeoutException _) { // checked again by the caller
        } catch (ExecutionException _) { // reported at the end
        }
    }
}
