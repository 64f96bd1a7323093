package io.trainyard.worker;

import io.trainyard.custody.Request;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Topic;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// What becomes of a command whose job does not begin here: it is published once more, put aside, or left to others.
/// Whatever is to be said of it is with the brokers before it is accepted; whoever dies in between has it delivered
/// again.
final class Settlement {
    private static final System.Logger LOG = System.getLogger(Settlement.class.getName());

    private final WorkerRules rules;
    private final Host host;
    private final EventPublisher publisher;
    private final FleetView fleet;

    Settlement(Surroundings around) {
        this.rules = around.rules();
        this.host = around.host();
        this.publisher = around.publisher();
        this.fleet = around.fleet();
    }

    /// Accepts the command once all that is to be said about it is with the brokers.
    Taken settle(CommandQueue queue, CompletableFuture<Void> said)
            throws InterruptedException, ExecutionException, TimeoutException {
        var _ = host.await(said, rules.claimTimeout());
        return queue.accept()
                ? new Taken.Settled()
                : new Taken.Lost("a command that is settled was not accepted; it may come again");
    }

    private static Taken refused(Taken settled, String reason) {
        return settled instanceof Taken.Settled ? new Taken.Refused(reason) : settled;
    }

    /// Publishes a command once more, as it is.
    Taken again(CommandQueue queue, ConsumerRecord<byte[], byte[]> command)
            throws InterruptedException, ExecutionException, TimeoutException {
        return settle(queue, publisher.again(command));
    }

    /// The same of one that this worker has no time for.
    void giveBack(CommandQueue queue, ConsumerRecord<byte[], byte[]> command) throws InterruptedException {
        try {
            CommandRecord.requireWithinLimits(command);
            var _ = again(queue, command);
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

    /// Leaves a job to other workers: its command is published once more.
    Taken leave(CommandQueue queue, Request request, String reason)
            throws InterruptedException, ExecutionException, TimeoutException {
        return refused(settle(queue, publisher.publish(request)), reason);
    }

    /// Publishes a command on the topic where its job belongs.
    Taken forward(CommandQueue queue, ConsumerRecord<byte[], byte[]> command, JobSpec job, Topic topic)
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

    /// Lets a command wait beside its topic, so that others behind it can be taken. It is written there before it is
    /// accepted. One that waits there already stays.
    Taken park(CommandQueue queue, ConsumerRecord<byte[], byte[]> command, JobSpec job, String reason)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (Deferred.isParked(command)) {
            return new Taken.Settled();
        }
        if (command.deliveryCount().isEmpty()) { // it was left to newer workers, under the very key
            return again(queue, command);
        }
        if (fleet.shares().isFull()) {
            return refused(again(queue, command), "too many commands wait for their projects; " + reason);
        }
        LOG.log(
                System.Logger.Level.DEBUG,
                "job={0} worker={1} topic={2} offset={3} waits beside its topic: {4}",
                job.id(),
                rules.worker(),
                command.topic(),
                command.offset(),
                reason);
        return settle(queue, publisher.park(command, job, reason));
    }

    /// Puts aside a command that is wrong for this version: where it may be right for a newer one, it waits for that.
    ///
    /// @param reason what is wrong with it
    Taken refuse(CommandQueue queue, ConsumerRecord<byte[], byte[]> command, String reason)
            throws InterruptedException, ExecutionException, TimeoutException {
        int contract = rules.deferring().contract();
        Optional<String> job = CommandRecord.newer(command, contract);
        if (job.isEmpty()) {
            return reject(queue, command, reason);
        }
        if (fleet.isFull()) {
            return refused(
                    again(queue, command),
                    "too many commands wait for workers that understand more than contract %d".formatted(contract));
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

    /// Puts aside a command that nobody will run.
    Taken reject(CommandQueue queue, ConsumerRecord<byte[], byte[]> command, String reason)
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
}
