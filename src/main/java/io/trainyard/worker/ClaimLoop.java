package io.trainyard.worker;

import io.trainyard.ownership.Quarantine;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;

/// Claims one command at a time and runs its job in a free [slot][Slots], until it is stopped.
final class ClaimLoop implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ClaimLoop.class.getName());

    private static final Duration MIN_PAUSE = Duration.ofMillis(250);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(30);

    /// The same after a lost claim: the brokers did not acknowledge what the worker published.
    private static final Duration MIN_LOST_PAUSE = Duration.ofSeconds(1);

    private static final Duration MAX_LOST_PAUSE = Duration.ofMinutes(1);

    /// Interval at which a worker that must not claim checks again.
    private static final Duration ADMISSION = Duration.ofMillis(50);

    /// A reason that lasts less than this is not reported.
    private static final Duration REPORT_AFTER = Duration.ofSeconds(1);

    /// Interval at which a worker without a free slot looks for prefetched commands.
    private static final Duration LOOK = Duration.ofMillis(500);

    /// The same while a high-priority command waits. The brokers may hand it to one busy worker after another.
    private static final Duration HIGH_PRIORITY_LOOK = Duration.ofMillis(50);

    private final WorkerContext context;
    private final WorkerRules rules;
    private final Supplier<CommandQueue> queues;
    private final Activity activity;
    private final StopSignal stop;
    private final CommandDisposition disposition;
    private final Claiming claiming;
    private final CircuitBreaker breaker;
    private final Slots slots;
    private final Quarantine brokers = new Quarantine(MIN_PAUSE, MAX_PAUSE);
    private final Quarantine publishing = new Quarantine(MIN_LOST_PAUSE, MAX_LOST_PAUSE);
    private String probed; // its partition of the ownership topic must be writable
    private String reportedReason = ""; // the last reported reason not to claim
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /// @param queues opens a queue of commands, and a new one after a failure
    /// @param runner runs as many jobs at once as there are slots
    ClaimLoop(WorkerContext context, Supplier<CommandQueue> queues, JobRunner runner) {
        this.context = context;
        this.rules = context.rules();
        this.queues = queues;
        this.activity = context.activity();
        this.stop = new StopSignal(context.host());
        this.breaker = new CircuitBreaker(rules.worker());
        this.slots = new Slots(context, runner, stop, breaker);
        this.disposition = new CommandDisposition(context, stop);
        this.probed = rules.worker();
        this.claiming = new Claiming(context, disposition, breaker);
    }

    /// Begins to claim.
    ///
    /// @param informed completes when the worker has read all control requests
    void start(CompletableFuture<?> informed) {
        var _ = context.host().start("claims", () -> run(informed));
    }

    /// Completes when the loop has ended; exceptionally if a job does not stop or the worker cannot run jobs.
    CompletableFuture<Void> ended() {
        return ended;
    }

    private void run(CompletableFuture<?> informed) {
        try {
            var _ = informed.get();
            while (!stop.isRequested()) {
                claimUntilBroken();
            }
            slots.awaitAllFree();
            Optional<String> restart = breaker.restart();
            if (restart.isPresent()) {
                throw new RestartNeededException(restart.get());
            }
            ended.complete(null);
        } catch (InterruptedException | ExecutionException | RuntimeException | Error e) {
            ended.completeExceptionally(e);
        }
    }

    /// A failure of Kafka ends one queue, never the loop. A worker that must not claim leaves the share groups,
    /// because members are handed commands even if they do not poll.
    private void claimUntilBroken() throws InterruptedException {
        if (!awaitAdmission()) {
            return;
        }
        try (CommandQueue queue = new DeferredQueue(new FairQueue(queues.get(), context), context)) {
            claim(queue);
        } catch (KafkaException e) { // the message says enough
            queueFailed(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "worker=" + rules.worker() + " cannot claim", e);
            queueFailed(e.toString());
        }
        stop.await(brokers.pause());
        stop.await(publishing.pause());
    }

    private void queueFailed(String problem) {
        brokers.fault(problem);
        activity.trouble(problem);
        if (brokers.faults() == 1 && !stop.isRequested()) {
            logRetry(problem);
        }
    }

    private void claimLost(ClaimResult.Lost claim) {
        publishing.fault(claim.reason());
        activity.trouble(claim.reason());
        probed = claim.job() == null ? rules.worker() : claim.job();
        if (publishing.faults() == 1 && !stop.isRequested()) {
            logRetry(claim.reason());
        }
    }

    private void logRetry(String problem) {
        LOG.log(
                System.Logger.Level.WARNING,
                "worker={0} cannot claim commands and retries: {1}",
                rules.worker(),
                problem);
    }

    private void claim(CommandQueue queue) throws InterruptedException {
        while (!stop.isRequested() && objection().isEmpty()) {
            ClaimResult result = new ClaimResult.Done();
            boolean isDelivered = false;
            if (!mayClaim()) {
                result = releasePrefetched(queue);
            } else {
                var command = queue.next();
                isDelivered = command.isPresent();
                if (isDelivered) {
                    result = claiming.take(queue, command.get());
                }
                healed(brokers);
            }
            switch (result) {
                case ClaimResult.Begun(ClaimedAttempt claimed) -> {
                    context.order().claimed();
                    slots.start(claimed);
                }
                case ClaimResult.Done _ -> {}
                case ClaimResult.Refused(String reason) -> breaker.refused(reason);
                case ClaimResult.Lost claim -> {
                    claimLost(claim);
                    return;
                }
            }
            if (isDelivered) {
                healed(publishing); // only acknowledged and accepted records show that it can publish
            }
        }
    }

    private void healed(Quarantine faults) {
        if (faults.faults() > 0) {
            faults.healed();
            activity.trouble(null);
            LOG.log(System.Logger.Level.INFO, "worker={0} claims commands again", rules.worker());
        }
    }

    /// Waits until the worker may claim. Returns early at times, so that prefetched commands are released.
    private boolean mayClaim() throws InterruptedException {
        if (!slots.awaitFree(context.fleet().isHighPriorityWaiting() ? HIGH_PRIORITY_LOOK : LOOK)) {
            return false;
        }
        awaitHealth();
        return !stop.isRequested();
    }

    /// A busy worker releases prefetched commands.
    private ClaimResult releasePrefetched(CommandQueue queue) throws InterruptedException {
        try {
            var prefetched = queue.prefetched();
            if (prefetched.isPresent()) {
                return disposition.release(queue, prefetched.get());
            }
        } catch (KafkaException e) { // the next poll sees and reports it
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "worker={0} cannot look for prefetched commands: {1}",
                    rules.worker(),
                    e.getMessage());
        }
        return new ClaimResult.Done();
    }

    /// A worker that failed to run a job pauses, longer each time.
    private void awaitHealth() throws InterruptedException {
        Duration pause = breaker.pause();
        if (pause.isZero()) {
            return;
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "worker={0} claims no jobs for {1} s: {2}",
                rules.worker(),
                pause.toSeconds(),
                breaker.reason());
        activity.trouble(breaker.reason());
        stop.await(pause);
        activity.trouble(null);
    }

    private Optional<String> objection() {
        return context.fleet()
                .objection()
                .or(() -> context.gate().objection(context.host().nanoTime()));
    }

    /// Waits until the worker belongs to the fleet and the brokers acknowledge its heartbeats and a record of
    /// ownership.
    ///
    /// @return false if the worker stops
    private boolean awaitAdmission() throws InterruptedException {
        long beganNanos = context.host().nanoTime();
        CompletableFuture<Void> probe = null;
        while (!stop.isRequested()) {
            Optional<String> reason = objection();
            if (reason.isEmpty()) {
                probe = probe == null ? context.publisher().probeOwnership(probed) : probe;
                try {
                    var _ = context.host().await(probe, rules.claimTimeout());
                    logAdmitted();
                    return true;
                } catch (TimeoutException _) {
                    report("the brokers do not acknowledge its records of ownership");
                } catch (ExecutionException e) {
                    probe = null;
                    publishing.fault(String.valueOf(e.getCause()));
                    report("the brokers refuse its records of ownership: " + e.getCause());
                    stop.await(publishing.pause());
                }
            } else {
                if (context.host().nanoTime() - beganNanos > REPORT_AFTER.toNanos()) {
                    report(reason.get());
                }
                stop.await(ADMISSION);
            }
        }
        return false;
    }

    private void report(String reason) {
        if (!reason.equals(reportedReason)) {
            LOG.log(System.Logger.Level.ERROR, "worker={0} claims no jobs: {1}", rules.worker(), reason);
            activity.trouble(reason);
            reportedReason = reason;
        }
    }

    private void logAdmitted() {
        if (!reportedReason.isEmpty()) {
            LOG.log(System.Logger.Level.INFO, "worker={0} claims jobs again", rules.worker());
            reportedReason = "";
        }
        activity.trouble(null);
    }

    /// Stops the jobs at a step boundary, publishes their last events and releases their commands, all in
    /// parallel. Takes at most the grace period and the time to leave the group.
    @Override
    public void close() {
        stop.request();
        try {
            var _ = context.host()
                    .await(ended.exceptionally(_ -> null), rules.grace().plus(ShareQueue.CLOSE_TIMEOUT));
        } catch (TimeoutException _) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "worker={0} has not stopped within {1}",
                    rules.worker(),
                    rules.grace());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("an end is never a failure here", e);
        }
    }

    /// A job does not stop or a device is lost: only a new process can go on.
    private static final class RestartNeededException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RestartNeededException(String message) {
            super(message);
        }
    }
}
