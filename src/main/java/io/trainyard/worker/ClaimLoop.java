package io.trainyard.worker;

import io.trainyard.checkpoint.CheckpointException;
import io.trainyard.event.TrainingEvent.Released;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;

/// Claims one command at a time and has it run, on a thread of its own, until it is stopped.
///
/// A claim ends in one of three ways. Settled: all that is to be said about the command is with the brokers, then the
/// command is accepted. Released: the worker stops or has lost its device, and another takes the command at once. Lost:
/// the lock is gone or may be; then the job is stopped, the consumer thrown away, and nothing acknowledged.
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
    private final StopSignal stop = new StopSignal();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private int deliveryLimit;
    private int losses; // of claims, in a row
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

    /// Completes when the loop has ended; exceptionally when it could not go on, because a job does not stop or the
    /// device is lost again and again.
    CompletableFuture<Void> ended() {
        return ended;
    }

    private void run() {
        try {
            while (!stop.isRequested()) {
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
            while (!stop.isRequested()) {
                var command = claims.next();
                if (command.isPresent()) {
                    settle(new Claim(claims, command.get(), settings, stop));
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
            stop.await(Duration.ofMillis(pauseMillis));
        }
    }

    private void settle(Claim claim) throws ClaimLostException, InterruptedException {
        ConsumerRecord<byte[], byte[]> command = claim.command();
        if (isLastDelivery(command)) {
            // Were this delivery to end without an acknowledgement, the brokers would drop the command silently.
            claim.accept(publisher.again(command));
            return;
        }
        JobSpec job;
        try {
            job = read(command);
        } catch (InvalidJobException e) {
            reject(claim, String.valueOf(e.getMessage()));
            return;
        }
        Optional<Topic> elsewhere = routes.elsewhere(command.topic(), job);
        if (elsewhere.isPresent()) {
            forward(claim, job, elsewhere.get());
        } else {
            work(claim, job);
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

    private void forward(Claim claim, JobSpec job, Topic topic) throws ClaimLostException, InterruptedException {
        LOG.log(
                System.Logger.Level.INFO,
                "job={0} worker={1} topic={2} offset={3} goes to {4}: the job is for {5}, and this worker has {6}",
                job.id(),
                settings.worker(),
                claim.command().topic(),
                claim.command().offset(),
                topic.name(settings.prefix()),
                job.device().kind(),
                String.join(", ", new TreeSet<>(settings.kinds())));
        claim.accept(publisher.forward(claim.command(), topic));
    }

    private void reject(Claim claim, String reason) throws ClaimLostException, InterruptedException {
        LOG.log(
                System.Logger.Level.INFO,
                "worker={0} topic={1} offset={2} goes to dead-letter: {3}",
                settings.worker(),
                claim.command().topic(),
                claim.command().offset(),
                reason);
        claim.accept(publisher.deadLetter(claim.command(), reason));
    }

    private void work(Claim claim, JobSpec job) throws ClaimLostException, InterruptedException {
        activity.begin(job);
        JobEvents events = publisher.open(claim.command().headers(), event -> {
            activity.see(event);
            log.see(event);
        });
        RunningJob running = RunningJob.start(runner, job, events, stop);
        try {
            conclude(claim, events, awaitEnd(claim, running, events, job));
        } catch (ClaimLostException | RuntimeException e) {
            stopLost(running, job);
            throw e;
        } finally {
            activity.end();
        }
    }

    private Outcome awaitEnd(Claim claim, RunningJob running, JobEvents events, JobSpec job)
            throws ClaimLostException, InterruptedException {
        try {
            Duration graceShare = settings.grace().dividedBy(LAST_WORDS_DIVISOR).multipliedBy(LAST_WORDS_DIVISOR - 1L);
            return claim.await(running.result(), NO_BOUND, graceShare);
        } catch (TimeoutException e) {
            throw new ClaimLostException("job=%s has not stopped within the grace period".formatted(job.id()), e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (events.isLost()) {
                throw new ClaimLostException(String.valueOf(cause.getMessage()), cause);
            }
            if (cause instanceof CheckpointException) {
                // The store's trouble and not the job's: the command waits for it, with whichever worker.
                throw new ClaimLostException("job=%s cannot begin: %s".formatted(job.id(), cause.getMessage()), cause);
            }
            LOG.log(System.Logger.Level.ERROR, "worker=" + settings.worker() + " job=" + job.id() + " failed", cause);
            return new Outcome.Rejected(cause.toString());
        }
    }

    private void conclude(Claim claim, JobEvents events, Outcome outcome)
            throws ClaimLostException, InterruptedException {
        if (!(outcome instanceof Outcome.DeviceLost)) {
            deviceLosses = 0;
        }
        switch (outcome) {
            case Outcome.Finished _, Outcome.Failed _ -> claim.accept(events.acknowledged());
            case Outcome.Rejected(String reason) -> reject(claim, reason);
            case Outcome.Released _ -> claim.release(events.acknowledged());
            case Outcome.DeviceLost(Released event) -> {
                claim.release(events.acknowledged());
                if (++deviceLosses == MAX_DEVICE_LOSSES) {
                    throw new RestartNeededException(
                            "worker=%s lost its device %d times in a row, the last time as follows; in this process it may never work again. The worker has to be started anew. %s"
                                    .formatted(settings.worker(), deviceLosses, event.reason()));
                }
                // A pause, longer each time, so that a broken device does not take one job after the other.
                throw new ClaimLostException("job=%s was given back: %s".formatted(event.job(), event.reason()), null);
            }
        }
    }

    private void stopLost(RunningJob running, JobSpec job) throws InterruptedException {
        if (stop.isRequested()) {
            running.abandon(); // the process ends anyway
        } else if (!running.stop(settings.grace())) {
            throw new RestartNeededException("worker=%s job=%s does not stop; the worker has to be started anew"
                    .formatted(settings.worker(), job.id()));
        }
    }

    /// Stops: the job is asked to stop at a step boundary, its last events are sent, its command goes back. Takes no
    /// longer than the grace period and the time to leave the group.
    @Override
    public void close() {
        stop.request();
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
