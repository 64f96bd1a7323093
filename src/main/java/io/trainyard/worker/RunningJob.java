package io.trainyard.worker;

import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.WorkerStatus.Fetching;
import io.trainyard.training.Outcome;
import io.trainyard.training.Supervisor;
import io.trainyard.training.SupervisorException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

final class RunningJob implements Supervisor {
    private static final long NEVER = Long.MAX_VALUE;

    private final ClaimedAttempt claimed;
    private final JobEvents events;
    private final AttemptOwners owners;
    private final StopSignal workerStop;
    private final WorkerContext context;
    private final CompletableFuture<Outcome> result = new CompletableFuture<>();
    private volatile @Nullable Thread thread;
    private volatile long dueNanos = NEVER; // the time by which it must report again

    RunningJob(ClaimedAttempt claimed, JobEvents events, StopSignal workerStop, WorkerContext context) {
        this.claimed = claimed;
        this.events = events;
        this.owners = new AttemptOwners(claimed.folder());
        this.workerStop = workerStop;
        this.context = context;
    }

    void start(JobRunner runner) {
        thread = context.host().start("job-" + claimed.id(), () -> {
            try (var _ = LogFields.of(
                    claimed.id(), claimed.attempt(), context.rules().worker())) {
                result.complete(runner.run(claimed.job(), claimed.attempt(), this));
            } catch (Throwable e) { // even an Error is the job's, not the worker's
                result.completeExceptionally(e);
            }
        });
    }

    @Override
    public void publish(TrainingEvent event, Instant time) {
        dueNanos = NEVER;
        events.publish(SerializedEvent.of(event, time, context.rules().worker()));
    }

    @Override
    public void publish(TrainingEvent event) {
        publish(event, context.host().now());
    }

    @Override
    public void republish(String event) {
        dueNanos = NEVER;
        try {
            events.publish(SerializedEvent.read(
                    event.getBytes(StandardCharsets.UTF_8), context.host().now(), owners));
        } catch (IOException e) {
            throw new SupervisorException("the stored event is invalid: " + e.getMessage(), e);
        }
    }

    /// Without earlier checkpoints: if they were published again after newer ones, compaction would keep them.
    @Override
    public List<String> unacknowledged() {
        return events.unacknowledged().stream()
                .filter(line -> !(line.event() instanceof TrainingEvent.CheckpointSaved))
                .map(SerializedEvent::text)
                .toList();
    }

    @Override
    public Optional<Halt> halt() {
        dueNanos = NEVER;
        DesiredState desiredState = context.fleet().controls().of(claimed.id());
        if (desiredState == DesiredState.CANCEL) {
            return Optional.of(Halt.CANCEL);
        }
        if (workerStop.isRequested()) {
            return Optional.of(Halt.DRAIN);
        }
        if (desiredState == DesiredState.PAUSE) {
            return Optional.of(Halt.PAUSE);
        }
        return preemptor().map(_ -> Halt.PREEMPT);
    }

    @Override
    public Optional<String> preemptor() {
        return context.fleet().preemptor(claimed.id(), claimed.attempt());
    }

    /// A request to run on concerns this job only, not its group.
    @Override
    public boolean heedsRungs() {
        return !context.fleet().controls().skipsRungs(claimed.id());
    }

    @Override
    public void rungResultStored(String group) {
        dueNanos = NEVER;
        context.fleet().rungResultStored(group);
    }

    @Override
    public void checkpointFailed() {
        claimed.activity().checkpointFailed();
    }

    @Override
    public void fetched(String dataset, long bytes, long totalBytes) {
        claimed.activity().fetches(new Fetching(dataset, bytes, totalBytes));
    }

    @Override
    public void saves(long step) {
        claimed.trace().saves(step);
    }

    @Override
    public void alive(Duration limit) {
        dueNanos = context.host().nanoTime() + limit.toNanos();
    }

    boolean isHung() {
        long due = dueNanos;
        return due != NEVER && !result.isDone() && context.host().nanoTime() - due > 0;
    }

    CompletableFuture<Outcome> result() {
        return result;
    }

    /// Gives the attempt up: it is interrupted, and its further events are rejected.
    void abandon() {
        events.close(); // an interrupted attempt may report a failure of its own
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }
}
