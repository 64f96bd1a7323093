package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.event.TrainingEvent;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Topic;
import io.trainyard.training.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/// Claims one command at a time and has it run, on a thread of its own, until it is stopped.
///
/// A claim ends in one of three ways. Settled: all that is to be said about the command is with the brokers,
/// then the command is accepted. Released: the worker stops or has lost its device, and another takes the command
/// at once. Lost: the
/// lock is gone or may be; then the job is stopped, the consumer thrown away, and nothing acknowledged.
final class ClaimLoop implements AutoCloseable {
    /// What a loop needs to know.
    ///
    /// @param kafka `host:port`
    /// @param prefix of the topics' names
    /// @param worker the worker's id
    /// @param kinds of devices the worker runs jobs on
    /// @param grace from [#close] to the end, and how long a job whose claim was lost may take to stop
    /// @param flushTimeout how long the brokers may take to acknowledge a job's events
    record Settings(
            String kafka, String prefix, String worker, Set<String> kinds, Duration grace, Duration flushTimeout) {}

    private static final System.Logger LOG = System.getLogger(ClaimLoop.class.getName());

    private static final Duration ADMIN_TIMEOUT = Duration.ofSeconds(60);

    /// How soon a loop with a job sees that the job has ended, or that a stop takes too long.
    private static final long TICK_MILLIS = 100;

    /// A job takes as long as it takes, while its lock can be renewed.
    private static final Duration NO_BOUND = Duration.ofNanos(Long.MAX_VALUE);

    private static final long MIN_PAUSE_MILLIS = 250;
    private static final long MAX_PAUSE_MILLIS = 30_000;

    /// After an error that a GPU's context does not survive NVIDIA asks for a new process; often a new context will do.
    private static final int MAX_DEVICE_LOSSES = 3;

    /// The part of the grace period kept for the last events and the release: a quarter.
    private static final int LAST_WORDS_DIVISOR = 4;

    private final Settings settings;
    private final CommandRoutes routes;
    private final JobRunner runner;
    private final EventPublisher publisher;
    private final Activity activity;
    private final JobLog log;
    private final Thread thread;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile long stopNanos;
    private int deliveryLimit;
    private int losses;
    private int deviceLosses; // in a row

    ClaimLoop(Settings settings, JobRunner runner, EventPublisher publisher, Activity activity) {
        this.settings = settings;
        this.routes = new CommandRoutes(settings.prefix(), settings.kinds());
        this.runner = runner;
        this.publisher = publisher;
        this.activity = activity;
        this.log = new JobLog(settings.worker());
        this.thread = Thread.ofPlatform().name("claims").daemon().unstarted(this::run);
    }

    /// Begins to claim.
    ///
    /// @throws io.trainyard.topics.KafkaUnreachableException if the brokers do not answer, or refuse
    void start() {
        deliveryLimit = ShareGroups.configure(settings.kafka(), settings.prefix(), ADMIN_TIMEOUT);
        thread.start();
    }

    /// Completes when the loop has ended; exceptionally when it could not go on, because a job does not stop.
    CompletableFuture<Void> ended() {
        return ended;
    }

    private boolean isStopping() {
        return stopping.getCount() == 0;
    }

    private void run() {
        try {
            while (!isStopping()) {
                claimUntilLost();
            }
            ended.complete(null);
        } catch (InterruptedException | RuntimeException | Error e) {
            ended.completeExceptionally(e);
        }
    }

    /// Whatever goes wrong with Kafka ends one consumer, never the loop.
    private void claimUntilLost() throws InterruptedException {
        try (ShareClaims claims = new ShareClaims(settings.kafka(), settings.worker(), routes.sources())) {
            while (!isStopping()) {
                var command = claims.next();
                if (command.isPresent()) {
                    settle(claims, command.get());
                    losses = 0;
                }
            }
        } catch (RestartNeededException e) {
            throw e;
        } catch (ClaimLostException | RuntimeException | OutOfMemoryError e) { // of memory: a command may be a bomb
            losses++;
            long pauseMillis = Math.min(MAX_PAUSE_MILLIS, MIN_PAUSE_MILLIS << Math.min(losses, Byte.SIZE));
            String what = "worker=%s has no claim any more and begins anew in %d ms: %s"
                    .formatted(settings.worker(), pauseMillis, e.getMessage() == null ? e : e.getMessage());
            // Of brokers that are away, and of what they refuse, the message says all.
            LOG.log(
                    System.Logger.Level.WARNING,
                    what,
                    e instanceof ClaimLostException || e instanceof KafkaException ? null : e);
            var _ = stopping.await(pauseMillis, TimeUnit.MILLISECONDS);
        }
    }

    private void settle(ShareClaims claims, ConsumerRecord<byte[], byte[]> command)
            throws ClaimLostException, InterruptedException {
        if (isLastDelivery(command)) {
            // Were this delivery to end without an acknowledgement, the brokers would drop the command silently.
            awaitAcknowledged(claims, publisher.again(command));
            claims.settle(AcknowledgeType.ACCEPT);
            return;
        }
        JobSpec job;
        try {
            job = read(command);
        } catch (InvalidJobException e) {
            reject(claims, command, String.valueOf(e.getMessage()));
            return;
        }
        Optional<Topic> elsewhere = routes.elsewhere(command.topic(), job);
        if (elsewhere.isPresent()) {
            forward(claims, command, job, elsewhere.get());
        } else {
            work(claims, command, job);
        }
    }

    private boolean isLastDelivery(ConsumerRecord<byte[], byte[]> command) {
        return command.deliveryCount().orElse((short) 1) >= deliveryLimit;
    }

    private static JobSpec read(ConsumerRecord<byte[], byte[]> command) {
        byte[] body = command.value();
        try {
            return JobJson.read(body == null ? new byte[0] : body);
        } catch (InvalidJobException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) { // whatever a stranger's bytes bring about is theirs
            throw new InvalidJobException("the command cannot be read: " + e, e);
        }
    }

    private void forward(ShareClaims claims, ConsumerRecord<byte[], byte[]> command, JobSpec job, Topic topic)
            throws ClaimLostException, InterruptedException {
        LOG.log(
                System.Logger.Level.INFO,
                "job={0} worker={1} topic={2} offset={3} goes to {4}: the job is for {5}, and this worker has {6}",
                job.id(),
                settings.worker(),
                command.topic(),
                command.offset(),
                topic.name(settings.prefix()),
                job.device().kind(),
                String.join(", ", new TreeSet<>(settings.kinds())));
        awaitAcknowledged(claims, publisher.forward(command, topic));
        claims.settle(AcknowledgeType.ACCEPT);
    }

    private void reject(ShareClaims claims, ConsumerRecord<byte[], byte[]> command, String reason)
            throws ClaimLostException, InterruptedException {
        LOG.log(
                System.Logger.Level.INFO,
                "worker={0} topic={1} offset={2} goes to dead-letter: {3}",
                settings.worker(),
                command.topic(),
                command.offset(),
                reason);
        awaitAcknowledged(claims, publisher.deadLetter(command, reason));
        claims.settle(AcknowledgeType.ACCEPT);
    }

    private void work(ShareClaims claims, ConsumerRecord<byte[], byte[]> command, JobSpec job)
            throws ClaimLostException, InterruptedException {
        activity.begin(job);
        JobEvents events = publisher.open(command.headers(), event -> {
            activity.see(event);
            log.see(event);
        });
        RunningJob running = RunningJob.start(runner, job, events, this::isStopping);
        try {
            Outcome outcome = awaitEnd(claims, running, events, job);
            conclude(claims, command, events, outcome, job);
        } catch (ClaimLostException | RuntimeException e) {
            stopLost(running, job);
            throw e;
        } finally {
            activity.end();
        }
    }

    private Outcome awaitEnd(ShareClaims claims, RunningJob running, JobEvents events, JobSpec job)
            throws ClaimLostException, InterruptedException {
        try {
            return awaitRenewing(
                    claims,
                    running.result(),
                    NO_BOUND,
                    settings.grace().dividedBy(LAST_WORDS_DIVISOR).multipliedBy(LAST_WORDS_DIVISOR - 1L));
        } catch (TimeoutException e) {
            throw new ClaimLostException("job=%s has not stopped within the grace period".formatted(job.id()), e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (events.isLost()) {
                throw new ClaimLostException(String.valueOf(cause.getMessage()), cause);
            }
            if (events.attempt() == 0 && cause instanceof CheckpointException) {
                // The store's trouble and not the job's: the command waits for it, with whichever worker.
                throw new ClaimLostException("job=%s cannot begin: %s".formatted(job.id(), cause.getMessage()), cause);
            }
            LOG.log(System.Logger.Level.ERROR, "worker=" + settings.worker() + " job=" + job.id() + " failed", cause);
            return new Outcome.Failed(cause.toString());
        }
    }

    private void conclude(
            ShareClaims claims, ConsumerRecord<byte[], byte[]> command, JobEvents events, Outcome outcome, JobSpec job)
            throws ClaimLostException, InterruptedException {
        if (!(outcome instanceof Outcome.DeviceLost)) {
            deviceLosses = 0;
        }
        switch (outcome) {
            case Outcome.Finished _ -> accept(claims, events);
            case Outcome.Failed(String reason) -> {
                if (events.attempt() == 0) { // no attempt was begun that could have failed
                    reject(claims, command, reason);
                    return;
                }
                if (!events.saysEnded()) {
                    events.publish(new TrainingEvent.Failed(job.id(), events.attempt(), reason));
                }
                accept(claims, events);
            }
            case Outcome.Rejected(String reason) -> reject(claims, command, reason);
            case Outcome.Released _ -> release(claims, events);
            case Outcome.DeviceLost(String reason) -> {
                release(claims, events);
                if (++deviceLosses == MAX_DEVICE_LOSSES) {
                    throw new RestartNeededException(
                            "worker=%s lost its device %d times in a row, the last time as follows; in this process it may never work again. The worker has to be started anew. %s"
                                    .formatted(settings.worker(), deviceLosses, reason));
                }
                // A pause, longer each time, so that a broken device does not take one job after the other.
                throw new ClaimLostException("job=%s was given back: %s".formatted(job.id(), reason), null);
            }
        }
    }

    private void release(ShareClaims claims, JobEvents events) throws ClaimLostException, InterruptedException {
        awaitAcknowledged(claims, events.acknowledged());
        claims.settle(AcknowledgeType.RELEASE);
    }

    private void accept(ShareClaims claims, JobEvents events) throws ClaimLostException, InterruptedException {
        awaitAcknowledged(claims, events.acknowledged());
        claims.settle(AcknowledgeType.ACCEPT);
    }

    private void awaitAcknowledged(ShareClaims claims, CompletableFuture<Void> sent)
            throws ClaimLostException, InterruptedException {
        try {
            var _ = awaitRenewing(claims, sent, settings.flushTimeout(), settings.grace());
        } catch (TimeoutException e) {
            throw new ClaimLostException(
                    "the brokers have not acknowledged all records within " + settings.flushTimeout(), e);
        } catch (ExecutionException e) {
            throw new ClaimLostException("the brokers have not taken all records: " + e.getCause(), e);
        }
    }

    /// Waits for `work`, and keeps the lock meanwhile.
    ///
    /// @param graceShare when the worker stops, how long after that it may still take
    /// @throws TimeoutException if it is not done within `bound`, or within its share of the grace period
    private <T extends @Nullable Object> T awaitRenewing(
            ShareClaims claims, CompletableFuture<T> work, Duration bound, Duration graceShare)
            throws ClaimLostException, InterruptedException, ExecutionException, TimeoutException {
        long beginNanos = System.nanoTime();
        long renewedNanos = beginNanos;
        while (true) {
            try {
                return work.get(TICK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                boolean outOfGrace = isStopping() && since(stopNanos).compareTo(graceShare) > 0;
                if (outOfGrace || since(beginNanos).compareTo(bound) > 0) {
                    throw e;
                }
            }
            if (since(renewedNanos).compareTo(claims.renewEvery()) > 0) {
                renewedNanos = System.nanoTime();
                claims.renew();
            }
        }
    }

    private void stopLost(RunningJob running, JobSpec job) throws InterruptedException {
        if (isStopping()) {
            running.abandon(); // the process ends anyway
        } else if (!running.stop(settings.grace())) {
            throw new RestartNeededException("worker=%s job=%s does not stop; the worker has to be started anew"
                    .formatted(settings.worker(), job.id()));
        }
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    /// Stops: the job is asked to stop at a step boundary, its last events are sent, its command goes back. Takes no
    /// longer than the grace period and the time to leave the group.
    @Override
    public void close() {
        stopNanos = System.nanoTime();
        stopping.countDown();
        try {
            if (!thread.join(settings.grace().plus(ShareClaims.CLOSE_TIMEOUT))) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "worker={0} has not stopped within {1}",
                        settings.worker(),
                        settings.grace());
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// What this process can no longer do, another may: a job does not stop, or a device is lost for good.
    private static final class RestartNeededException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RestartNeededException(String message) {
            super(message);
        }
    }
}
