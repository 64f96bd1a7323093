package io.trainyard.worker;

import io.trainyard.device.DeviceReading;
import io.trainyard.event.WorkerStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Publishes the worker's state and jobs at intervals. One heartbeat is in flight at a time, and the next one
/// waits its interval after the acknowledgement: other workers count heartbeats as time, so they must not
/// arrive in bursts.
///
/// This is also the place that notices and logs that Kafka is away.
final class Heartbeat implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Heartbeat.class.getName());

    private static final Duration LAST_TIMEOUT = Duration.ofSeconds(2);

    /// Kafka counts as away after a heartbeat was in flight for so long.
    private static final Duration AWAY = Duration.ofSeconds(5);

    /// The worker's own part of a heartbeat.
    ///
    /// @param since when it joined the fleet; null if it has not
    /// @param used the use of each project in device-seconds; null if it is not reported
    /// @param readings the device's current readings; empty if unknown
    record Self(
            String worker,
            String device,
            String store,
            Supplier<@Nullable Instant> since,
            String version,
            int schemaVersion,
            int slots,
            Supplier<@Nullable Map<String, Double>> used,
            Supplier<List<DeviceReading>> readings,
            Activity activity) {}

    private final Host host;
    private final EventPublisher publisher;
    private final ClaimGate gate;
    private final Self self;
    private final StopSignal stop;

    Heartbeat(Host host, EventPublisher publisher, ClaimGate gate, Self self) {
        this.host = host;
        this.publisher = publisher;
        this.gate = gate;
        this.self = self;
        this.stop = new StopSignal(host);
    }

    CompletableFuture<Void> announce() {
        return send(false);
    }

    private CompletableFuture<Void> send(boolean stopping) {
        long sentNanos = host.nanoTime();
        return publisher.publish(status(stopping), host.now()).whenComplete((_, problem) -> {
            if (problem == null) {
                gate.acknowledged(sentNanos);
            } else {
                gate.refused(problem.toString());
            }
        });
    }

    void start(Duration every) {
        var _ = host.start("heartbeat", () -> {
            try {
                while (!stop.isRequested()) {
                    beat();
                    stop.await(every);
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void beat() throws InterruptedException {
        long beganNanos = host.nanoTime();
        boolean away = false;
        CompletableFuture<Void> sent = send(false);
        while (!stop.isRequested()) {
            try {
                var _ = host.await(sent, AWAY);
                if (away) {
                    LOG.log(
                            System.Logger.Level.INFO,
                            "worker={0} Kafka is reachable again after {1} s",
                            self.worker(),
                            Duration.ofNanos(host.nanoTime() - beganNanos).toSeconds());
                }
                return;
            } catch (TimeoutException _) {
                if (!away) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "worker={0} Kafka is unreachable: no record was acknowledged for {1} s; running jobs continue, and their events wait",
                            self.worker(),
                            AWAY.toSeconds());
                }
                away = true;
            } catch (ExecutionException e) {
                LOG.log(System.Logger.Level.WARNING, "worker={0} heartbeat is lost: {1}", self.worker(), e.getCause());
                return;
            }
        }
    }

    private WorkerStatus status(boolean stopping) {
        Activity activity = self.activity();
        List<WorkerStatus.Job> jobs = activity.jobs();
        return new WorkerStatus(
                self.worker(),
                self.device(),
                jobs.stream().mapToDouble(WorkerStatus.Job::samplesPerSecond).sum(),
                host.residentBytes(),
                activity.totals().checkpointFailures(),
                stopping,
                self.store(),
                self.since().get(),
                activity.trouble(),
                activity.fetching(),
                self.version(),
                self.schemaVersion(),
                readings(),
                self.slots(),
                jobs,
                self.used().get());
    }

    private @Nullable List<WorkerStatus.Reading> readings() {
        List<DeviceReading> now = self.readings().get();
        return now.isEmpty() ? null : now.stream().map(Heartbeat::reading).toList();
    }

    private static WorkerStatus.Reading reading(DeviceReading now) {
        return new WorkerStatus.Reading(
                now.device(),
                now.utilization(),
                now.memoryUsedBytes(),
                now.memoryTotalBytes(),
                now.powerWatts(),
                now.energyJoules(),
                now.temperatureCelsius());
    }

    @Override
    public void close() {
        stop.request();
        try {
            var _ = host.await(send(true), LAST_TIMEOUT);
        } catch (ExecutionException | TimeoutException e) {
            LOG.log(System.Logger.Level.WARNING, "worker={0} last heartbeat is lost: {1}", self.worker(), e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
