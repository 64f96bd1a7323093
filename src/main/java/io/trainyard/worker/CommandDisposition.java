package io.trainyard.worker;

import io.trainyard.ownership.CommandContent;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Topic;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// Disposes of a command whose job does not begin here: it is published again, dead-lettered, deferred or
/// forwarded. Everything about it is published before it is accepted; if the worker dies in between, the
/// command is delivered again.
final class CommandDisposition {
    private static final System.Logger LOG = System.getLogger(CommandDisposition.class.getName());

    private final WorkerRules rules;
    private final Host host;
    private final EventPublisher publisher;
    private final FleetView fleet;
    private final Activity activity;
    private final StopSignal stop;

    /// The pause before a refused record is published again for a command that must not be released.
    private static final Duration REFUSED_PAUSE = Duration.ofSeconds(5);

    /// @param stop after which no command is held any longer
    CommandDisposition(WorkerContext context, StopSignal stop) {
        this.rules = context.rules();
        this.host = context.host();
        this.publisher = context.publisher();
        this.fleet = context.fleet();
        this.activity = context.activity();
        this.stop = stop;
    }

    /// Accepts the command after the brokers acknowledged everything about it.
    ClaimResult settle(CommandQueue queue, CompletableFuture<Void> published)
            throws InterruptedException, ExecutionException, TimeoutException {
        await(queue, published);
        return queue.accept()
                ? new ClaimResult.Done()
                : new ClaimResult.Lost("a processed command was not accepted; it may be delivered again", null);
    }

    /// Waits for the acknowledgement of records about the current command and renews its lock meanwhile:
    /// releasing it would use up a delivery. The time limit doubles with each delivery, and the last delivery
    /// has none.
    ///
    /// @throws TimeoutException if the command must be released
    void await(CommandQueue queue, CompletableFuture<Void> published)
            throws InterruptedException, ExecutionException, TimeoutException {
        long beganNanos = host.nanoTime();
        String trouble = "";
        while (true) {
            try {
                var _ = host.await(published, rules.claimTimeout());
                if (!trouble.isEmpty()) {
                    activity.trouble(null);
                }
                return;
            } catch (TimeoutException e) {
                if (!mayHold(queue, beganNanos) || !queue.renew()) {
                    throw e;
                }
                if (trouble.isEmpty()) {
                    trouble = "the brokers do not acknowledge its records about a command, which it holds";
                    reportTrouble(trouble);
                }
            }
        }
    }

    private void reportTrouble(String trouble) {
        LOG.log(System.Logger.Level.WARNING, "worker={0} claims no jobs at present: {1}", rules.worker(), trouble);
        activity.trouble(trouble);
    }

    private boolean mayHold(CommandQueue queue, long beganNanos) {
        int deliveries = queue.deliveries();
        boolean isLast = deliveries >= rules.deliveryLimit();
        Duration most = rules.claimTimeout().multipliedBy(1L << deliveries);
        return deliveries > 0 && !stop.isRequested() && (isLast || host.nanoTime() - beganNanos < most.toNanos());
    }

    /// Publishes a command again that has few deliveries left. It is kept even if this is refused, because the
    /// next worker's attempt may be refused, too.
    ClaimResult republishAndHold(CommandQueue queue, ConsumerRecord<byte[], byte[]> command)
            throws InterruptedException, ExecutionException, TimeoutException {
        long beganNanos = host.nanoTime();
        while (true) {
            try {
                return republish(queue, command);
            } catch (ExecutionException e) {
                reportTrouble("the brokers refuse a command that it publishes again and holds: " + e.getCause());
                stop.await(REFUSED_PAUSE);
                if (!mayHold(queue, beganNanos) || !queue.renew()) {
                    throw e;
                }
            }
        }
    }

    private static ClaimResult refused(ClaimResult settled, String reason) {
        return settled instanceof ClaimResult.Done ? new ClaimResult.Refused(reason) : settled;
    }

    /// Publishes an unchanged copy of a command and accepts it.
    ClaimResult republish(CommandQueue queue, ConsumerRecord<byte[], byte[]> command)
            throws InterruptedException, ExecutionException, TimeoutException {
        return settle(queue, publisher.republish(command));
    }

    /// The same for a command for which this worker has no free slot.
    ClaimResult release(CommandQueue queue, ConsumerRecord<byte[], byte[]> command) throws InterruptedException {
        try {
            CommandRecord.requireWithinLimits(command);
            return isNearlyUsedUp(command) ? republishAndHold(queue, command) : republish(queue, command);
        } catch (InvalidJobException e) {
            return reject(queue, command, String.valueOf(e.getMessage()));
        } catch (ExecutionException | TimeoutException e) { // the lock expires, and others get it
            return new ClaimResult.Lost("it cannot release %s: %s".formatted(CommandRecord.place(command), e), null);
        }
    }

    /// Whether so few deliveries are left that the command must be published again: if the last one ended
    /// without an acknowledgement, the brokers would drop the command silently. Half of the deliveries are
    /// reserved for this.
    boolean isNearlyUsedUp(ConsumerRecord<byte[], byte[]> command) {
        return command.deliveryCount().orElse((short) 1) > rules.deliveryLimit() / 2;
    }

    /// Leaves a job to other workers: its command is published again.
    ClaimResult leave(CommandQueue queue, CommandContent request, String reason)
            throws InterruptedException, ExecutionException, TimeoutException {
        return refused(settle(queue, publisher.publish(request)), reason);
    }

    ClaimResult forward(CommandQueue queue, ConsumerRecord<byte[], byte[]> command, JobSpec job, Topic topic)
            throws InterruptedException, ExecutionException, TimeoutException {
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
        return settle(queue, publisher.forward(command, topic));
    }

    /// Defers a command so that others behind it can be claimed. The deferral is published before the command
    /// is accepted. A command that is deferred already stays so.
    ClaimResult deferForProject(CommandQueue queue, ConsumerRecord<byte[], byte[]> command, JobSpec job, String reason)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (DeferredRecord.isDeferred(command)) {
            return new ClaimResult.Done();
        }
        if (command.deliveryCount().isEmpty()) { // it was deferred to newer workers under the same key
            return republish(queue, command);
        }
        if (fleet.shares().isFull()) {
            return refused(republish(queue, command), "too many commands are deferred for their projects; " + reason);
        }
        LOG.log(
                System.Logger.Level.DEBUG,
                "job={0} worker={1} topic={2} offset={3} is deferred: {4}",
                job.id(),
                rules.worker(),
                command.topic(),
                command.offset(),
                reason);
        return settle(queue, publisher.deferForProject(command, job, reason));
    }

    /// Disposes of a command that is invalid for this version. If it may be valid for a newer version, it is
    /// deferred.
    ClaimResult refuse(CommandQueue queue, ConsumerRecord<byte[], byte[]> command, String reason)
            throws InterruptedException, ExecutionException, TimeoutException {
        int schemaVersion = rules.deferring().schemaVersion();
        Optional<String> job = CommandRecord.newer(command, schemaVersion);
        if (job.isEmpty()) {
            return reject(queue, command, reason);
        }
        if (fleet.isFull()) {
            return refused(
                    republish(queue, command),
                    "too many commands wait for workers that support more than schema version %d"
                            .formatted(schemaVersion));
        }
        LOG.log(
                System.Logger.Level.INFO,
                "job={0} worker={1} topic={2} offset={3} waits for a worker that supports more than schema version {4} of commands: {5}",
                job.get(),
                rules.worker(),
                command.topic(),
                command.offset(),
                schemaVersion,
                reason);
        return settle(queue, publisher.defer(command, job.get(), reason));
    }

    ClaimResult reject(CommandQueue queue, ConsumerRecord<byte[], byte[]> command, String reason)
            throws InterruptedException {
        LOG.log(
                System.Logger.Level.INFO,
                "worker={0} topic={1} offset={2} is dead-lettered: {3}",
                rules.worker(),
                command.topic(),
                command.offset(),
                reason);
        try {
            return settle(queue, publisher.deadLetter(command, reason));
        } catch (ExecutionException | TimeoutException e) {
            return new ClaimResult.Lost("the brokers did not acknowledge the dead letter: " + e, null);
        }
    }
}
