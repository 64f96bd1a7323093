package io.trainyard.worker;

import io.trainyard.event.TrainingEvent.Finished;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/// The jobs that a worker has at once, each in a slot: a thread that runs it, watches it, and hands it over. Used by
/// the thread that claims.
final class Slots {
    private static final System.Logger LOG = System.getLogger(Slots.class.getName());

    private final Surroundings around;
    private final JobRunner runner;
    private final StopSignal stop;
    private final Fitness fitness;
    private final Holding holding;
    private final JobLog log;
    private final List<CompletableFuture<Void>> taken = new ArrayList<>(); // each is done when its slot is free
    private CompletableFuture<?> change = CompletableFuture.completedFuture(null); // when the next one is

    /// @param stop ends all of them, and is requested where one of them shows that this process can do no more
    Slots(Surroundings around, JobRunner runner, StopSignal stop, Fitness fitness) {
        this.around = around;
        this.runner = runner;
        this.stop = stop;
        this.fitness = fitness;
        this.holding = new Holding(around, stop, fitness);
        this.log = new JobLog(around.rules().worker());
    }

    /// Waits for a free slot, but no longer than `time`.
    ///
    /// @return whether there is one
    boolean awaitFree(Duration time) throws InterruptedException {
        if (isFull()) {
            await(change, time);
        }
        return !isFull();
    }

    private boolean isFull() {
        taken.removeIf(CompletableFuture::isDone);
        return taken.size() >= around.rules().slots();
    }

    /// Runs a job in a free slot.
    void start(Held held) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        taken.add(done);
        change = CompletableFuture.anyOf(taken.toArray(CompletableFuture<?>[]::new));
        held.activity().begin();
        var _ = around.host().start("slot-" + held.id(), () -> {
            try {
                run(held);
                done.complete(null);
            } catch (RuntimeException e) { // of handing over: a keeper will see to the job
                LOG.log(System.Logger.Level.ERROR, "worker=" + around.rules().worker() + " lets go of " + held.id(), e);
                fitness.refused(e.toString());
                done.complete(null);
            } catch (InterruptedException | Error e) {
                stop.request();
                done.completeExceptionally(e);
            }
        });
    }

    private void run(Held held) throws InterruptedException {
        try {
            boolean stopped = holding.run(held, runner, events(held));
            if (!stopped && !stop.isRequested()) {
                fitness.hangs(held.id());
            }
            if (fitness.restart().isPresent()) {
                stop.request(); // the other slots hand over what can be handed over
            }
        } finally {
            held.activity().end();
        }
    }

    private JobEvents events(Held held) {
        JobEvents events = new JobEvents(line -> {
            if (line.event() instanceof Finished) {
                KillPoint.OUTCOME_TELLING.reach();
            }
            held.activity().see(line);
            log.see(line.event());
            held.trace().see(line.event(), line.time());
            return around.publisher().publish(line, held.trace().traceParent());
        });
        held.activity().sends(events);
        return events;
    }

    /// Waits until all are free, after a stop: each takes no longer than the grace period.
    ///
    /// @throws ExecutionException if a thread came to an end that it should not have come to
    void awaitAllFree() throws InterruptedException, ExecutionException {
        CompletableFuture<Void> all = CompletableFuture.allOf(taken.toArray(CompletableFuture<?>[]::new));
        while (!all.isDone()) {
            await(all, around.rules().grace());
        }
        var _ = all.getNow(null);
    }

    private void await(CompletableFuture<?> work, Duration time) throws InterruptedException {
        try {
            var _ = around.host().await(work, time);
        } catch (TimeoutException _) { // then it is looked at again
        } catch (ExecutionException _) { // that is told at the end
        }
    }
}
