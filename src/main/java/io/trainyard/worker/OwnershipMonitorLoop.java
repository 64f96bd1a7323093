package io.trainyard.worker;

import io.trainyard.ownership.CommandContent;
import io.trainyard.ownership.OwnershipMonitor;
import io.trainyard.ownership.RecoveryAction;
import io.trainyard.spec.JobSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;

/// Reads the topics that every worker reads, on its own thread, and performs this worker's recovery actions:
/// [FleetLogReader] processes records and decides which actions are due, [RecoveryActions] performs them.
final class OwnershipMonitorLoop implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(OwnershipMonitorLoop.class.getName());

    /// Until the existing records have been read.
    private static final Duration POLL = Duration.ofMillis(100);

    /// Afterwards. New records still arrive at once.
    private static final Duration IDLE_POLL = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final WorkerContext context;
    private final Supplier<FleetLog> logs;
    private final StopSignal stop;
    private final FleetLogReader reader;
    private final RecoveryActions actions;
    private final CompletableFuture<Optional<JobSpec>> ready = new CompletableFuture<>();
    private final CompletableFuture<Void> broken = new CompletableFuture<>();
    private boolean warnedTooMany;

    OwnershipMonitorLoop(WorkerContext context, Supplier<FleetLog> logs, OwnershipMonitor.Rules monitorRules) {
        this.context = context;
        this.logs = logs;
        this.stop = new StopSignal(context.host());
        this.reader = new FleetLogReader(context, monitorRules);
        this.actions = new RecoveryActions(context);
    }

    void start() {
        var _ = context.host().start("ownership-monitor", this::run);
    }

    /// Completes when the existing records have been read, with a job that another worker has, if any.
    CompletableFuture<Optional<JobSpec>> ready() {
        return ready;
    }

    /// Fails if this worker can no longer watch jobs: it must not send heartbeats any more.
    CompletableFuture<Void> broken() {
        return broken;
    }

    private void run() {
        try {
            while (!stop.isRequested()) {
                try (FleetLog log = logs.get()) {
                    watch(log);
                } catch (KafkaException e) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "worker={0} cannot read the fleet''s topics and retries: {1}",
                            context.rules().worker(),
                            e.getMessage());
                } catch (RuntimeException e) { // a programming error: the jobs must be watched nevertheless
                    LOG.log(
                            System.Logger.Level.ERROR,
                            "worker=" + context.rules().worker() + " cannot watch jobs",
                            e);
                }
                stop.await(PAUSE);
            }
        } catch (InterruptedException | Error e) {
            ready.completeExceptionally(e);
            broken.completeExceptionally(e);
            LOG.log(System.Logger.Level.ERROR, "worker=" + context.rules().worker() + " no longer watches jobs", e);
        }
    }

    private void watch(FleetLog log) throws InterruptedException {
        PreemptionMonitor preemption = reader.preemption();
        boolean judged = false;
        while (!stop.isRequested()) {
            boolean fresh = log.isCaughtUp();
            var entries = log.poll(!judged ? POLL : preemption.isNeeded() ? PreemptionMonitor.INTERVAL : IDLE_POLL);
            for (var entry : entries) {
                reader.read(entry, fresh);
            }
            if (judged) {
                preemption.check(log);
            }
            boolean hasNewRecords =
                    !judged || !entries.isEmpty(); // time is counted in heartbeats: without records nothing becomes due
            if (log.isCaughtUp() && hasNewRecords) {
                judged = true;
                reader.monitor().caughtUp();
                judge();
                if (reader.monitor().hasCapacityAgain()) {
                    reader.monitor().readAgain();
                    return; // the log is opened again
                }
            }
            if (judged) {
                for (var group : reader.rungs()
                        .due(context.fleet().takeGroupsWithResults())
                        .values()) {
                    resumeBest(group);
                }
            }
        }
    }

    /// Publishes the current state to all threads and performs due actions.
    private void judge() throws InterruptedException {
        reader.show();
        if (!ready.isDone()) {
            ready.complete(reader.monitor().underWay());
        }
        warnIfTooMany();
        for (RecoveryAction action : reader.monitor().due()) {
            actions.perform(action);
        }
        for (var deferral : reader.deferrals().unsupported()) {
            actions.giveUp(deferral);
        }
    }

    /// Resumes the best of a group's paused jobs. If this worker dies in between, another one does it.
    private void resumeBest(List<CommandContent> group) throws InterruptedException {
        for (CommandContent request : actions.best(group)) {
            reader.rungs().resumed(request.job().id());
            actions.resume(request);
        }
    }

    private void warnIfTooMany() {
        int overlooked = reader.monitor().overlooked();
        if (overlooked > 0 && !warnedTooMany) {
            warnedTooMany = true;
            LOG.log(
                    System.Logger.Level.WARNING,
                    "worker={0} watches the maximum number of jobs (TRAINYARD_WORKER_MAX_WATCHED); {1} more are not watched",
                    context.rules().worker(),
                    overlooked);
        }
    }

    @Override
    public void close() {
        stop.request();
    }
}
