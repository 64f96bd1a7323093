package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.ChainLink.End;
import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.event.EventJson;
import io.trainyard.event.FailureCause;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.ownership.CommandContent;
import io.trainyard.ownership.CommandContent.Refusal;
import io.trainyard.ownership.Ownership;
import io.trainyard.training.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/// Runs a claimed attempt and publishes its outcome, or requeues the job. Used by all slots in parallel.
final class AttemptRunner {
    private static final System.Logger LOG = System.getLogger(AttemptRunner.class.getName());

    private static final Duration TICK = Duration.ofMillis(500);

    /// The part of the grace period for the last events and the requeueing: a quarter.
    private static final int LAST_EVENTS_DIVISOR = 4;

    private final WorkerContext context;
    private final WorkerRules rules;
    private final EventPublisher publisher;
    private final OutcomePublisher outcomes;
    private final StopSignal stop;
    private final CircuitBreaker breaker;
    private final Expansion expansion;

    AttemptRunner(WorkerContext context, StopSignal stop, CircuitBreaker breaker) {
        this.context = context;
        this.rules = context.rules();
        this.publisher = context.publisher();
        this.outcomes = new OutcomePublisher(context);
        this.stop = stop;
        this.breaker = breaker;
        this.expansion = new Expansion(context);
    }

    /// Runs the job to its end here.
    ///
    /// @return whether the slot is free again; false if the job does not stop
    boolean run(ClaimedAttempt claimed, JobRunner runner, JobEvents events) throws InterruptedException {
        KillPoint.ACCEPTED.reach();
        RunningJob running = new RunningJob(claimed, events, stop, context);
        running.start(
                claimed.job().sweep() == null ? runner : (_, _, supervisor) -> expansion.expand(claimed, supervisor));
        try {
            Outcome outcome = awaitEnd(running);
            handOver(claimed, outcome, events);
            return true;
        } catch (TimeoutException _) {
            running.abandon();
            return false;
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            String reason = "job %s broke: %s".formatted(claimed.id(), cause);
            LOG.log(System.Logger.Level.ERROR, "worker=" + rules.worker() + " " + reason, cause);
            breaker.refused(reason);
            // Nothing more can be published. The ownership expires, and an ownership monitor publishes the
            // command again.
            return true;
        }
    }

    private Outcome awaitEnd(RunningJob running) throws InterruptedException, ExecutionException, TimeoutException {
        while (true) {
            try {
                return context.host().await(running.result(), TICK);
            } catch (TimeoutException e) {
                if (running.isHung() || stop.isOlderThan(withoutLastEvents())) {
                    throw e;
                }
            }
        }
    }

    private void handOver(ClaimedAttempt claimed, Outcome outcome, JobEvents events) throws InterruptedException {
        if (!(outcome instanceof Outcome.DeviceBusy)) {
            breaker.freed();
        }
        switch (outcome) {
            case Outcome.Finished _, Outcome.Failed _, Outcome.Cancelled _, Outcome.Expanded _ -> {
                breaker.ended();
                if (isAcknowledged(claimed, events.acknowledged())) {
                    KillPoint.OUTCOME_PUBLISHED.reach();
                    isAcknowledged(claimed, outcomes.close(claimed.id()));
                }
            }
            case Outcome.Paused(var event) -> {
                breaker.paused();
                Ownership ownership = event.rung() == null
                        ? Ownership.paused(claimed.next(), rules.worker())
                        : Ownership.pausedAtRung(claimed.next(), rules.worker(), event.rung());
                if (isAcknowledged(claimed, events.acknowledged())) {
                    isAcknowledged(claimed, publisher.publish(ownership));
                }
            }
            case Outcome.Released(Released event) -> {
                boolean preempted = event.preemptedBy() != null;
                if (preempted) {
                    context.order().preempted();
                }
                requeue(claimed, preempted ? claimed.nextPreempted() : claimed.next(), events);
            }
            case Outcome.DeviceBusy(Released event) -> {
                breaker.crowded(claimed.id(), event.reason(), context.host().nanoTime());
                requeue(claimed, claimed.next(), events);
            }
            case Outcome.WorkerFault fault -> refuse(claimed, fault, events);
            case Outcome.DeviceLost(Released event) -> {
                breaker.lost(event.reason());
                requeue(claimed, claimed.next(), events);
            }
            case Outcome.Superseded _ -> logSuperseded(claimed);
            case Outcome.Rejected(String reason) ->
                throw new IllegalStateException("an attempt is not rejected: " + reason);
        }
    }

    /// The command comes first and the ownership second: a duplicate command is void, but a job without a
    /// command would have to wait for an ownership monitor.
    private void requeue(ClaimedAttempt claimed, CommandContent next, JobEvents events) throws InterruptedException {
        if (isAcknowledged(claimed, events.acknowledged()) && isAcknowledged(claimed, publisher.publish(next))) {
            isAcknowledged(claimed, publisher.publish(Ownership.waiting(next, rules.worker(), 1)));
        }
    }

    private void refuse(ClaimedAttempt claimed, Outcome.WorkerFault fault, JobEvents events)
            throws InterruptedException {
        String reason = fault.event().reason();
        boolean lacking = fault.lacking();
        CommandContent next = lacking ? claimed.next().refused(new Refusal(rules.worker(), reason)) : claimed.next();
        if (lacking) {
            breaker.lacks(claimed.id(), reason, context.host().nanoTime());
        } else {
            breaker.fault(reason);
        }
        if (lacking && next.isRefusedByAll(context.fleet().able(claimed.job()), rules.maxRefusals())) {
            fail(claimed, reason, events);
        } else {
            requeue(claimed, next, events);
        }
    }

    private void fail(ClaimedAttempt claimed, String reason, JobEvents events) throws InterruptedException {
        Failed event = new Failed(claimed.id(), claimed.attempt(), reason, FailureCause.LACKING.word());
        String json = new String(EventJson.write(event, context.host().now()), StandardCharsets.UTF_8);
        try {
            ChainLink next = claimed.folder().append(claimed.attempt(), new End(json));
            if (!(next instanceof End end)) {
                logSuperseded(claimed);
            } else if (isAcknowledged(claimed, events.acknowledged())) { // the end comes last
                new JobLog(rules.worker()).see(event);
                isAcknowledged(
                        claimed,
                        outcomes.announce(
                                claimed.folder(),
                                claimed.attempt() + 1,
                                end,
                                claimed.request().trace()));
            }
        } catch (CheckpointException e) { // the ownership expires, and a monitor publishes the command again
            LOG.log(
                    System.Logger.Level.WARNING,
                    "job={0} attempt={1} worker={2} cannot store that the job has failed: {3}",
                    claimed.id(),
                    claimed.attempt(),
                    rules.worker(),
                    e.getMessage());
        }
    }

    private void logSuperseded(ClaimedAttempt claimed) {
        LOG.log(
                System.Logger.Level.WARNING,
                "job={0} attempt={1} worker={2} is superseded by a later attempt",
                claimed.id(),
                claimed.attempt(),
                rules.worker());
    }

    /// Waits until the brokers have acknowledged, as long as they are away, unless the worker stops.
    private boolean isAcknowledged(ClaimedAttempt claimed, CompletableFuture<Void> published)
            throws InterruptedException {
        try {
            while (!stop.isOlderThan(rules.grace())) {
                try {
                    var _ = context.host().await(published, TICK);
                    return true;
                } catch (TimeoutException _) { // Kafka is away and will come back
                }
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "job={0} attempt={1} worker={2} stops before the brokers have all its events; another worker will publish them",
                    claimed.id(),
                    claimed.attempt(),
                    rules.worker());
        } catch (ExecutionException e) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "job={0} attempt={1} worker={2}: the brokers refuse its events: {3}",
                    claimed.id(),
                    claimed.attempt(),
                    rules.worker(),
                    e.getCause());
        }
        return false;
    }

    private Duration withoutLastEvents() {
        return rules.grace().dividedBy(LAST_EVENTS_DIVISOR).multipliedBy(LAST_EVENTS_DIVISOR - 1L);
    }
}
