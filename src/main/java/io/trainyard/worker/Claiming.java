package io.trainyard.worker;

import io.trainyard.checkpoint.ChainLink.End;
import io.trainyard.checkpoint.ChainLink.Owner;
import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.JobChain;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.event.Control.DesiredState;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.ownership.ClaimDecision;
import io.trainyard.ownership.ClaimRule;
import io.trainyard.ownership.ClaimRule.Delivery;
import io.trainyard.ownership.CommandContent;
import io.trainyard.ownership.Ownership;
import io.trainyard.ownership.StoredJob;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import io.trainyard.trace.Tracing;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// Claims one command: from its delivery to its acceptance, in much less than its lock's time. After that the
/// job is owned.
///
/// If this fails in between, or the process ends, the command is delivered again or an ownership monitor
/// publishes it again. The next claim then becomes the next attempt.
final class Claiming {
    private final WorkerContext context;
    private final WorkerRules rules;
    private final EventPublisher publisher;
    private final OutcomePublisher outcomes;
    private final CommandDisposition disposition;
    private final CircuitBreaker breaker;
    private final Quotas quotas;

    Claiming(WorkerContext context, CommandDisposition disposition, CircuitBreaker breaker) {
        this.context = context;
        this.rules = context.rules();
        this.publisher = context.publisher();
        this.outcomes = new OutcomePublisher(context);
        this.disposition = disposition;
        this.breaker = breaker;
        this.quotas = new Quotas(context);
    }

    /// @param queue has delivered `command`
    ClaimResult take(CommandQueue queue, ConsumerRecord<byte[], byte[]> command) throws InterruptedException {
        KillPoint.POLLED.reach();
        String id = null;
        try {
            CommandRecord.requireWithinLimits(command);
            if (disposition.isNearlyUsedUp(command)) {
                return disposition.republishAndHold(queue, command);
            }
            JobSpec job;
            try {
                job = CommandRecord.job(command, rules.deferring().schemaVersion());
                id = job.id();
                Expansion.requireRunnable(job, rules);
            } catch (InvalidJobException e) {
                return disposition.refuse(queue, command, String.valueOf(e.getMessage()));
            }
            Optional<Topic> elsewhere = rules.routes().elsewhere(command.topic(), job);
            if (elsewhere.isPresent()) {
                return disposition.forward(queue, command, job, elsewhere.get());
            }
            Priority priority = Priority.of(command.topic(), rules.routes().prefix());
            return take(queue, command, CommandRecord.request(command, job, priority));
        } catch (InvalidJobException e) {
            return disposition.reject(queue, command, String.valueOf(e.getMessage()));
        } catch (TimeoutException e) {
            return new ClaimResult.Lost(
                    "the brokers do not acknowledge what this worker publishes about the command", id);
        } catch (ExecutionException e) {
            return new ClaimResult.Lost(
                    "the brokers refuse what this worker publishes about the command: " + e.getCause(), id);
        }
    }

    private ClaimResult take(CommandQueue queue, ConsumerRecord<byte[], byte[]> command, CommandContent request)
            throws InterruptedException, ExecutionException, TimeoutException {
        Optional<String> waits = reasonToWait(command, request);
        if (waits.isPresent()) {
            return disposition.deferForProject(queue, command, request.job(), waits.get());
        }
        Delivery delivery = new Delivery(
                request, CommandRecord.claim(command), command.deliveryCount().orElse((short) 1));
        try {
            JobFolder folder = new JobFolder(context.store(), request.job().id());
            return decide(queue, command, delivery, folder);
        } catch (CheckpointException e) { // a problem of the store, not of the job
            return disposition.leave(queue, request, "the store cannot be used: " + e.getMessage());
        }
    }

    private ClaimResult decide(
            CommandQueue queue, ConsumerRecord<byte[], byte[]> command, Delivery delivery, JobFolder folder)
            throws InterruptedException, ExecutionException, TimeoutException {
        CommandContent request = delivery.request();
        String job = request.job().id();
        String store = context.store().identity();
        Tracing.Claim claim = context.tracing().claims(job, rules.worker(), request.trace());
        boolean sameJob = folder.keepSpec(JobJson.command(request.job()).json().toString());
        while (true) {
            JobChain chain = folder.chain();
            StoredJob stored =
                    new StoredJob(store, sameJob, chain.last(), chain.link().orElse(null));
            switch (ClaimRule.of(delivery, stored, context.fleet().controls().of(job))) {
                case ClaimDecision.Reject(String reason) -> {
                    return disposition.reject(queue, command, reason);
                }
                case ClaimDecision.RepublishEnd(int number, End end) -> {
                    return disposition.settle(queue, outcomes.announce(folder, number, end, request.trace()));
                }
                case ClaimDecision.Cancel _ -> {
                    return disposition.settle(queue, outcomes.cancel(folder, request.trace()));
                }
                case ClaimDecision.Pause(int attempt) -> {
                    return disposition.settle(
                            queue, pauseBeforeClaim(request.attempt(attempt).in(store), folder, chain));
                }
                case ClaimDecision.Void(int last, Owner owner) -> {
                    Ownership running = Ownership.running(
                            request.attempt(last).in(store).preempted(chain.preemptions()), owner.worker());
                    return disposition.settle(queue, publisher.publish(running));
                }
                case ClaimDecision.OtherStore(String other) -> {
                    return disposition.leave(
                            queue,
                            request,
                            "job %s is in the store %s, and this worker's is %s; use the same store for all workers of a fleet (--checkpoints)"
                                    .formatted(job, other, store));
                }
                case ClaimDecision.BeginAttempt(int attempt) -> {
                    Optional<String> lacking = lacking(request);
                    if (lacking.isPresent()) {
                        return disposition.leave(queue, request, lacking.get());
                    }
                    boolean trains = request.job().sweep()
                            == null; // a sweep only publishes trials and uses no share of the fleet
                    if (trains && !quotas.admit(request.job(), attempt)) {
                        return disposition.deferForProject(
                                queue,
                                command,
                                request.job(),
                                ProjectSharesView.withoutPermit(request.job().projectName()));
                    }
                    Owner me = Owner.of(rules.worker(), delivery.place(), delivery.delivery());
                    if (folder.append(attempt - 1, me).equals(me)) {
                        KillPoint.ATTEMPT_CREATED.reach();
                        return begin(
                                queue,
                                new ClaimedAttempt(
                                        request.attempt(attempt).in(store).preempted(chain.preemptions()),
                                        folder,
                                        claim.begun(attempt),
                                        context.activity().of(request.job(), attempt)));
                    } // another process appended first; the new link decides
                }
            }
        }
    }

    /// A command of a job that is to be cancelled or paused waits for nothing. A command that was deferred has
    /// already had its turn.
    private Optional<String> reasonToWait(ConsumerRecord<byte[], byte[]> command, CommandContent request) {
        return command.deliveryCount().isEmpty()
                        || context.fleet().controls().of(request.job().id()) != DesiredState.RUN
                ? Optional.empty()
                : context.fleet().shares().reasonToWait(context.order().now(), request);
    }

    /// What this worker recently could not provide for a job, unless no other worker can either.
    private Optional<String> lacking(CommandContent request) {
        return request.isRefusedByAll(context.fleet().able(request.job()), rules.maxRefusals())
                ? Optional.empty()
                : breaker.lacking(request.job().id(), context.host().nanoTime());
    }

    private ClaimResult begin(CommandQueue queue, ClaimedAttempt claimed)
            throws InterruptedException, ExecutionException, TimeoutException {
        disposition.await(queue, publisher.publish(Ownership.running(claimed.request(), rules.worker())));
        KillPoint.OWNERSHIP_PUBLISHED.reach();
        if (!queue.accept()) {
            return new ClaimResult.Lost(
                    "job %s attempt %d was not accepted in time".formatted(claimed.id(), claimed.attempt()),
                    claimed.id());
        }
        // A late acceptance may be reported as a success.
        return claimed.folder().isSuperseded(claimed.attempt())
                ? new ClaimResult.Lost(
                        "job %s attempt %d is superseded already".formatted(claimed.id(), claimed.attempt()),
                        claimed.id())
                : new ClaimResult.Begun(claimed);
    }

    /// The job has no owner, so its chain needs no link.
    private CompletableFuture<Void> pauseBeforeClaim(CommandContent request, JobFolder folder, JobChain chain) {
        Paused event = new Paused(
                request.job().id(), chain.attempt(), folder.checkpoints().lastStep(chain));
        return CompletableFuture.allOf(
                publisher.publish(SerializedEvent.of(event, context.host().now(), rules.worker()), request.trace()),
                publisher.publish(Ownership.paused(request, rules.worker())));
    }
}
