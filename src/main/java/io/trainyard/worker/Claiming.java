package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.checkpoint.Holder;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.custody.ClaimRule;
import io.trainyard.custody.ClaimRule.Delivery;
import io.trainyard.custody.Custody;
import io.trainyard.custody.Request;
import io.trainyard.custody.StoredJob;
import io.trainyard.custody.Verdict;
import io.trainyard.event.Control.Wish;
import io.trainyard.event.TrainingEvent.Paused;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import io.trainyard.trace.Tracing;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// Takes one command, in well under its lock's time: from the moment it is handed out until it is accepted. What
/// lasts longer than that is custody.
///
/// Wherever this ends in between, by an exception or the end of the process, the command is delivered again or a
/// keeper publishes it anew; what has been done by then makes the next claim the next attempt.
final class Claiming {
    private static final System.Logger LOG = System.getLogger(Claiming.class.getName());

    private final Surroundings around;
    private final WorkerRules rules;
    private final EventPublisher publisher;
    private final Announcer announcer;
    private final Fitness fitness;
    private final Quotas quotas;
    private final Expansion expansion;

    /// @param fitness knows which jobs this worker lacks something for
    Claiming(Surroundings around, Fitness fitness) {
        this.around = around;
        this.rules = around.rules();
        this.publisher = around.publisher();
        this.announcer = new Announcer(around);
        this.fitness = fitness;
        this.quotas = new Quotas(around);
        this.expansion = new Expansion(around, announcer);
    }

    /// What becomes of a command that was handed out.
    sealed interface Taken {
        /// The job is this worker's.
        record Begun(Held held) implements Taken {}

        /// Nothing is to be done any more.
        record Settled() implements Taken {}

        /// The command is given back: this worker cannot take it.
        record Refused(String reason) implements Taken {}

        /// It is not known whether the command is this worker's: so it is not.
        record Lost(String reason) implements Taken {}
    }

    /// @param queue has handed out `command`
    Taken take(CommandQueue queue, ConsumerRecord<byte[], byte[]> command) throws InterruptedException {
        KillPoint.POLLED.reach();
        try {
            CommandRecord.requireWithinLimits(command);
            if (command.deliveryCount().orElse((short) 1) > rules.deliveryLimit() / 2) {
                // Were the last delivery to end without an acknowledgement, the brokers would drop the command
                // silently; whoever is handed it that time may die. Half of all are left for this.
                return settle(queue, publisher.again(command));
            }
            JobSpec job;
            try {
                job = CommandRecord.job(command, rules.deferring().contract());
                expansion.requireRunnable(job);
            } catch (InvalidJobException e) {
                return refuse(queue, command, String.valueOf(e.getMessage()));
            }
            Optional<Topic> elsewhere = rules.routes().elsewhere(command.topic(), job);
            if (elsewhere.isPresent()) {
                sayElsewhere(command, job, elsewhere.get());
                return settle(queue, publisher.forward(command, elsewhere.get()));
            }
            Priority priority = Priority.of(command.topic(), rules.routes().prefix());
            return take(queue, command, CommandRecord.request(command, job, priority));
        } catch (InvalidJobException e) {
            return reject(queue, command, String.valueOf(e.getMessage()));
        } catch (TimeoutException e) {
            return new Taken.Lost(
                    "the brokers have not acknowledged what was said of it within " + rules.claimTimeout());
        } catch (ExecutionException e) {
            return new Taken.Lost("the brokers have not taken what was said of it: " + e.getCause());
        }
    }

    /// What is wrong with a command for this version may be right for another.
    private Taken refuse(CommandQueue queue, ConsumerRecord<byte[], byte[]> command, String reason)
            throws InterruptedException, ExecutionException, TimeoutException {
        int contract = rules.deferring().contract();
        Optional<String> job = CommandRecord.newer(command, contract);
        if (job.isEmpty()) {
            return reject(queue, command, reason);
        }
        if (around.fleet().isFull()) {
            Taken settled = settle(queue, publisher.again(command));
            return settled instanceof Taken.Settled
                    ? new Taken.Refused("too many commands wait for workers that understand more than contract %d"
                            .formatted(contract))
                    : settled;
        }
        LOG.log(
                System.Logger.Level.INFO,
                "job={0} worker={1} topic={2} offset={3} waits for a worker that understands more than contract {4} of commands: {5}",
                job.get(),
                rules.worker(),
                command.topic(),
                command.offset(),
                contract,
                reason);
        return settle(queue, publisher.defer(command, job.get(), reason));
    }

    /// Publishes a command once more that this worker has no time for.
    void giveBack(CommandQueue queue, ConsumerRecord<byte[], byte[]> command) throws InterruptedException {
        try {
            CommandRecord.requireWithinLimits(command);
            var _ = settle(queue, publisher.again(command));
        } catch (InvalidJobException e) {
            var _ = reject(queue, command, String.valueOf(e.getMessage()));
        } catch (ExecutionException | TimeoutException e) { // then its lock gives it to others
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "worker={0} cannot give back {1}: {2}",
                    rules.worker(),
                    CommandRecord.place(command),
                    e.getMessage());
        }
    }

    private Taken take(CommandQueue queue, ConsumerRecord<byte[], byte[]> command, Request request)
            throws InterruptedException, ExecutionException, TimeoutException {
        Optional<String> waits = reasonToWait(command, request);
        if (waits.isPresent()) {
            return park(queue, command, request, waits.get());
        }
        Delivery delivery = new Delivery(
                request, CommandRecord.claim(command), command.deliveryCount().orElse((short) 1));
        try {
            JobFolder folder = new JobFolder(around.store(), request.job().id());
            return decide(queue, command, delivery, folder);
        } catch (CheckpointException e) { // the store's trouble, and not the job's
            return leave(queue, request, "the store cannot be used: " + e.getMessage());
        }
    }

    private Taken decide(
            CommandQueue queue, ConsumerRecord<byte[], byte[]> command, Delivery delivery, JobFolder folder)
            throws InterruptedException, ExecutionException, TimeoutException {
        Request request = delivery.request();
        String job = request.job().id();
        String store = around.store().identity();
        Tracing.Claim claim = around.tracing().claims(job, rules.worker(), request.trace());
        while (true) {
            StoredJob stored = look(folder, request.job(), store);
            switch (ClaimRule.of(delivery, stored, around.fleet().wish(job))) {
                case Verdict.Reject(String reason) -> {
                    return reject(queue, command, reason);
                }
                case Verdict.Announce(byte[] outcome) -> {
                    return settle(queue, announcer.announce(folder, outcome, request.trace()));
                }
                case Verdict.Cancel _ -> {
                    return settle(queue, announcer.cancel(folder, request.trace()));
                }
                case Verdict.Park _ -> {
                    return settle(queue, park(request.in(store), folder));
                }
                case Verdict.Void(int last, Holder holder) -> {
                    Custody held = Custody.held(
                            request.attempt(last).in(store).preempted(folder.preemptions()), holder.worker());
                    return settle(queue, publisher.publish(held));
                }
                case Verdict.Elsewhere(String other) -> {
                    return leave(
                            queue,
                            request,
                            "job %s is in the store %s, and this worker's is %s; give all workers of a fleet one store (--checkpoints)"
                                    .formatted(job, other, store));
                }
                case Verdict.Begin(int attempt)
                when request.job().sweep() != null -> {
                    return settle(queue, expansion.expand(request.in(store), folder, attempt));
                }
                case Verdict.Begin(int attempt) -> {
                    Optional<String> lacking = lacking(request);
                    if (lacking.isPresent()) {
                        return leave(queue, request, lacking.get());
                    }
                    if (!quotas.admit(request.job(), attempt)) {
                        return park(
                                queue,
                                command,
                                request,
                                SharesView.withoutPermit(request.job().projectName()));
                    }
                    Holder me = new Holder(rules.worker(), delivery.place(), delivery.delivery());
                    if (folder.createAttempt(attempt, me)) {
                        KillPoint.ATTEMPT_CREATED.reach();
                        return begin(
                                queue,
                                new Held(
                                        request.attempt(attempt)
                                                .in(store)
                                                .preempted(attempt == 1 ? 0 : folder.preemptions()),
                                        folder,
                                        claim.begun(attempt),
                                        around.activity().of(request.job(), attempt)));
                    } // else somebody was quicker: what the store says now decides
                }
            }
        }
    }

    /// A command of whose job somebody wants something else than that it runs has to wait for nothing; nor has one
    /// whose
    /// turn it was when it was chosen.
    private Optional<String> reasonToWait(ConsumerRecord<byte[], byte[]> command, Request request) {
        return command.deliveryCount().isEmpty()
                        || around.fleet().wish(request.job().id()) != Wish.RUN
                ? Optional.empty()
                : around.fleet().shares().reasonToWait(around.order().now(), request);
    }

    /// Lets a command wait beside its topic, so that others behind it can be taken. It is written there before it is
    /// accepted. One that waits there already stays.
    private Taken park(CommandQueue queue, ConsumerRecord<byte[], byte[]> command, Request request, String reason)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (Deferred.isParked(command)) {
            return new Taken.Settled();
        }
        if (command.deliveryCount().isEmpty()) { // it was left to newer workers, under the very key
            return settle(queue, publisher.again(command));
        }
        if (around.fleet().shares().isFull()) {
            Taken settled = settle(queue, publisher.again(command));
            return settled instanceof Taken.Settled
                    ? new Taken.Refused("too many commands wait for their projects; " + reason)
                    : settled;
        }
        LOG.log(
                System.Logger.Level.DEBUG,
                "job={0} worker={1} topic={2} offset={3} waits beside its topic: {4}",
                request.job().id(),
                rules.worker(),
                command.topic(),
                command.offset(),
                reason);
        return settle(queue, publisher.park(command, request.job(), reason));
    }

    /// What this worker has just seen to be lacking for a job, as long as others may have it.
    private Optional<String> lacking(Request request) {
        return request.isRefusedByAll(able(request.job()), rules.maxRefusals())
                ? Optional.empty()
                : fitness.lacking(request.job().id(), around.host().nanoTime());
    }

    /// The workers that are heard and understand a job.
    private Set<String> able(JobSpec job) {
        return around.fleet().able(JobJson.command(job).contract());
    }

    /// Leaves a job to other workers: its command is published once more, as it is.
    private Taken leave(CommandQueue queue, Request request, String reason)
            throws InterruptedException, ExecutionException, TimeoutException {
        Taken settled = settle(queue, publisher.publish(request));
        return settled instanceof Taken.Settled ? new Taken.Refused(reason) : settled;
    }

    private static StoredJob look(JobFolder folder, JobSpec job, String store) {
        boolean sameJob = folder.keepSpec(JobJson.command(job).json().toString());
        byte[] outcome = folder.outcome().orElse(null);
        int last = folder.lastAttempt();
        return new StoredJob(store, sameJob, outcome, last, folder.holder(last).orElse(null));
    }

    private Taken begin(CommandQueue queue, Held held)
            throws InterruptedException, ExecutionException, TimeoutException {
        var _ = around.host()
                .await(publisher.publish(Custody.held(held.request(), rules.worker())), rules.claimTimeout());
        KillPoint.IN_CUSTODY.reach();
        if (!queue.accept()) {
            return new Taken.Lost("job %s attempt %d was not accepted in time".formatted(held.id(), held.attempt()));
        }
        // An acceptance that comes too late may be reported as a success.
        return held.folder().isSuperseded(held.attempt())
                ? new Taken.Lost("job %s attempt %d is superseded already".formatted(held.id(), held.attempt()))
                : new Taken.Begun(held);
    }

    /// A parked job keeps its number for the attempt that it will be resumed with.
    private CompletableFuture<Void> park(Request request, JobFolder folder) {
        Paused event = new Paused(
                request.job().id(),
                Math.max(1, folder.lastAttempt()),
                folder.checkpoints().lastStep());
        return CompletableFuture.allOf(
                publisher.publish(EventLine.of(event, around.host().now(), rules.worker()), request.trace()),
                publisher.publish(Custody.paused(request, rules.worker())));
    }

    private Taken reject(CommandQueue queue, ConsumerRecord<byte[], byte[]> command, String reason)
            throws InterruptedException {
        LOG.log(
                System.Logger.Level.INFO,
                "worker={0} topic={1} offset={2} goes to dead-letter: {3}",
                rules.worker(),
                command.topic(),
                command.offset(),
                reason);
        try {
            return settle(queue, publisher.deadLetter(command, reason));
        } catch (ExecutionException | TimeoutException e) {
            return new Taken.Lost("the brokers have not taken the dead letter: " + e);
        }
    }

    /// Accepts the command once all that is to be said about it is with the brokers.
    private Taken settle(CommandQueue queue, CompletableFuture<Void> said)
            throws InterruptedException, ExecutionException, TimeoutException {
        var _ = around.host().await(said, rules.claimTimeout());
        return queue.accept()
                ? new Taken.Settled()
                : new Taken.Lost("a command that is settled was not accepted; it may come again");
    }

    private void sayElsewhere(ConsumerRecord<byte[], byte[]> command, JobSpec job, Topic topic) {
        LOG.log(
                System.Logger.Level.INFO,
                "job={0} worker={1} topic={2} offset={3} goes to {4}: the job is for {5}, and this worker has {6}",
                job.id(),
                rules.worker(),
                command.topic(),
                command.offset(),
                topic.name(rules.routes().prefix()),
                job.device().kind(),
                String.join(", ", new TreeSet<>(rules.routes().kinds())));
    }
}
