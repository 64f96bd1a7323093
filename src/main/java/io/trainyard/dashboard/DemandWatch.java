package io.trainyard.dashboard;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.TrainingEvent.CheckpointSaved;
import io.trainyard.event.TrainingEvent.EpochTested;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.kubernetes.Demand;
import io.trainyard.kubernetes.DemandServer;
import io.trainyard.metrics.Label;
import io.trainyard.tracking.TrackingException;
import io.trainyard.tracking.UnfinishedJobs;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/// Publishes to autoscalers how many jobs need a worker, shortly after each change.
@Singleton
class DemandWatch {
    private static final Logger LOG = Logger.getLogger(DemandWatch.class);

    /// The update interval without new records.
    private static final Duration EVERY = Duration.ofSeconds(5);

    /// The update interval until all topics have been read. Requests are not answered before.
    private static final Duration AT_FIRST = Duration.ofMillis(500);

    /// The minimum time between updates. Each one counts all unfinished jobs.
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final JobHistory history;
    private final SourceStatus sources;
    private final DemandServer server;
    private final BlockingQueue<Boolean> received = new ArrayBlockingQueue<>(1);
    private final Thread thread = Thread.ofPlatform().name("demand").daemon().unstarted(this::watch);

    /// @param host the address of the dashboard
    @Inject
    DemandWatch(
            JobHistory history,
            SourceStatus sources,
            DashboardConfig config,
            @ConfigProperty(name = "quarkus.http.host") String host)
            throws IOException {
        this(history, sources, new InetSocketAddress(host, config.scalerPort().orElseThrow()));
    }

    DemandWatch(JobHistory history, SourceStatus sources, InetSocketAddress address) throws IOException {
        this.history = history;
        this.sources = sources;
        server = new DemandServer(address, Label.KIND.allowed());
    }

    void start() {
        history.onJobRecord(this::see);
        thread.start();
        LOG.infof("KEDA is answered on port %d", server.port());
    }

    int port() {
        return server.port();
    }

    private void see(Collection<JobRecord> jobRecords) {
        if (jobRecords.stream().anyMatch(DemandWatch::matters)) {
            boolean _ = received.offer(true); // else an update is due already
        }
    }

    /// Events of a job that keeps running do not change the demand.
    private static boolean matters(JobRecord jobRecord) {
        return !(jobRecord instanceof EventRecord happened
                && (happened.event() instanceof StepLosses
                        || happened.event() instanceof EpochTested
                        || happened.event() instanceof CheckpointSaved
                        || happened.event() instanceof Started));
    }

    private void watch() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                look();
                Thread.sleep(PAUSE);
                Duration most = sources.isCaughtUp() ? EVERY : AT_FIRST;
                var _ = received.poll(most.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// If the store is unavailable, the last values are kept.
    private void look() {
        if (sources.isCaughtUp()) {
            try {
                server.publish(new Demand(byKind(history.underWay())));
            } catch (TrackingException e) {
                LOG.debugf("the demand is not known: %s", e.getMessage());
            }
        }
    }

    private static Map<String, Long> byKind(Collection<UnfinishedJobs> jobs) {
        Map<String, Long> wanted = new HashMap<>();
        for (UnfinishedJobs some : jobs) {
            if (Demand.isWanted(some.status())) {
                wanted.merge(Objects.requireNonNullElse(some.wants(), "auto"), some.jobs(), Long::sum);
            }
        }
        return wanted;
    }

    void close() {
        thread.interrupt();
        server.close();
    }
}
