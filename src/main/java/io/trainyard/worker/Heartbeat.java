package io.trainyard.worker;

import io.trainyard.event.WorkerStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Tells now and then how the worker is. A heartbeat whose predecessor is still on its way is left out.
final class Heartbeat implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Heartbeat.class.getName());

    /// The bound on the last heartbeat.
    private static final Duration LAST_TIMEOUT = Duration.ofSeconds(2);

    private final EventPublisher publisher;
    private final Activity activity;
    private final String worker;
    private final String device;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().name("heartbeat").daemon().unstarted(task));
    private CompletableFuture<Void> newest = CompletableFuture.completedFuture(null);

    /// @param device the device's name, such as `cpu`
    Heartbeat(EventPublisher publisher, Activity activity, String worker, String device) {
        this.publisher = publisher;
        this.activity = activity;
        this.worker = worker;
        this.device = device;
    }

    /// Sends the first heartbeat, before [#start].
    CompletableFuture<Void> announce() {
        return publisher.publish(status(false));
    }

    void start(Duration every) {
        var _ = timer.scheduleAtFixedRate(this::beat, 0, every.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void beat() {
        if (!newest.isDone()) {
            return;
        }
        try {
            newest = publisher.publish(status(false)).whenComplete((_, problem) -> {
                if (problem != null) {
                    LOG.log(System.Logger.Level.WARNING, "worker={0} heartbeat is lost: {1}", worker, problem);
                }
            });
        } catch (RuntimeException e) { // a timer drops a task that throws
            LOG.log(System.Logger.Level.WARNING, "worker=" + worker + " has no heartbeat to send", e);
        }
    }

    private WorkerStatus status(boolean stopping) {
        Activity.Work work = activity.work();
        return new WorkerStatus(
                worker,
                device,
                work == null ? null : work.job(),
                work == null ? null : work.attempt(),
                work == null ? 0 : work.imagesPerSecond(),
                residentBytes(),
                stopping);
    }

    /// Linux tells the resident set in `/proc`; elsewhere the Java heap in use stands for it.
    private static long residentBytes() {
        Path status = Path.of("/proc/self/status");
        if (Files.isReadable(status)) {
            try {
                for (String line : Files.readAllLines(status)) {
                    if (line.startsWith("VmRSS:")) {
                        return 1024 * Long.parseLong(line.replaceAll("\\D", "")); // in kB, whatever the kernel calls it
                    }
                }
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "{0} cannot be read: {1}", status, e);
            }
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /// Says for the last time how the worker is: stopping.
    @Override
    public void close() {
        timer.shutdownNow();
        try {
            publisher.publish(status(true)).get(LAST_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.log(System.Logger.Level.WARNING, "worker={0} last heartbeat is lost: {1}", worker, e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
