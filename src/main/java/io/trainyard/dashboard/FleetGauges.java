package io.trainyard.dashboard;

import io.micrometer.core.instrument.MeterRegistry;
import io.trainyard.event.JobState.Status;
import io.trainyard.kubernetes.Demand;
import io.trainyard.metrics.Label;
import io.trainyard.metrics.Meters;
import io.trainyard.metrics.Metric;
import io.trainyard.spec.DeviceSpec;
import io.trainyard.topics.Priority;
import io.trainyard.topics.Topic;
import io.trainyard.tracking.TrackingException;
import io.trainyard.tracking.UnfinishedJobs;
import jakarta.inject.Singleton;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/// Prometheus gauges of the fleet, updated every few seconds, independent of scraping. They are absent before
/// the first update, because an autoscaler would read zeros as a fleet without jobs.
@Singleton
class FleetGauges {
    private static final String UNKNOWN = "unknown";

    private final MeterRegistry registry;
    private final JobHistory history;
    private final SourceStatus sources;
    private final ProjectQuotas quotas;
    private final ProjectGauges projects;
    private final String prefix;
    private final Set<String> commandTopics;
    private volatile @Nullable Fleet fleet;

    FleetGauges(
            MeterRegistry registry,
            JobHistory history,
            SourceStatus sources,
            ProjectQuotas quotas,
            @ConfigProperty(name = "trainyard.topics.prefix") String prefix) {
        this.registry = registry;
        this.history = history;
        this.sources = sources;
        this.quotas = quotas;
        this.projects = new ProjectGauges(quotas.rules().named().keySet());
        this.prefix = prefix;
        commandTopics = Set.copyOf(
                Topic.COMMANDS.stream().map(topic -> topic.name(prefix)).toList());
    }

    private record Jobs(Status status, String kind, String priority) {}

    private record Workers(String kind, String state) {}

    private record Fleet(Map<Jobs, Long> jobs, Map<Workers, Long> workers, Map<String, Double> samplesPerSecond) {
        long jobs(Predicate<Jobs> which) {
            return jobs.entrySet().stream()
                    .filter(some -> which.test(some.getKey()))
                    .mapToLong(Map.Entry::getValue)
                    .sum();
        }
    }

    /// If the store is unavailable, the last values are kept. Another metric reports the store's state.
    void look() {
        Map<Jobs, Long> jobs = new HashMap<>();
        try {
            for (UnfinishedJobs some : history.underWay()) {
                Jobs alike = new Jobs(
                        some.status(), Objects.requireNonNullElse(some.wants(), "auto"), priority(some.topic()));
                jobs.merge(alike, some.jobs(), Long::sum);
            }
            projects.take(quotas.table());
        } catch (TrackingException _) {
            return;
        }
        Map<Workers, Long> workers = new HashMap<>();
        Map<String, Double> images = new HashMap<>();
        for (WorkerView worker : history.workers(sources.knownMillis())) {
            String kind = DeviceSpec.kindOf(worker.device());
            workers.merge(new Workers(kind, state(worker)), 1L, Long::sum);
            images.merge(kind, worker.lost() ? 0 : worker.samplesPerSecond(), Double::sum);
        }
        boolean first = fleet == null;
        fleet = new Fleet(jobs, workers, images);
        if (first) {
            register(new Meters(registry));
        }
    }

    private String priority(@Nullable String topic) {
        return topic == null || !commandTopics.contains(topic)
                ? UNKNOWN
                : Priority.of(topic, prefix).name().toLowerCase(Locale.ROOT);
    }

    private static String state(WorkerView worker) {
        return worker.lost() ? "lost" : !worker.jobs().isEmpty() ? "busy" : worker.takesOne() ? "idle" : "refusing";
    }

    private Fleet now() {
        return Objects.requireNonNull(fleet, "registered with the first look");
    }

    private void register(Meters meters) {
        for (String kind : Label.KIND.allowed()) {
            for (String priority : Label.PRIORITY.allowed()) {
                Jobs queued = new Jobs(Status.QUEUED, kind, priority);
                meters.gauge(Metric.JOBS_QUEUED, () -> now().jobs(queued::equals), kind, priority);
            }
            meters.gauge(Metric.JOBS_RUNNING, () -> jobs(kind, Status.RUNNING::equals), kind);
            meters.gauge(Metric.JOBS_PAUSED, () -> jobs(kind, Status.PAUSED::equals), kind);
            meters.gauge(Metric.JOBS_DEMAND, () -> jobs(kind, Demand::isWanted), kind);
            for (String state : Label.STATE.allowed()) {
                Workers some = new Workers(kind, state);
                meters.gauge(Metric.WORKERS, () -> now().workers().getOrDefault(some, 0L), kind, state);
            }
            meters.gauge(
                    Metric.SAMPLES_PER_SECOND, () -> now().samplesPerSecond().getOrDefault(kind, 0.0), kind);
        }
        projects.register(meters);
        meters.gauge(Metric.EVENT_LAG_RECORDS, sources::behindRecords);
        meters.gauge(Metric.EVENT_LAG_SECONDS, () -> sources.state().behindMillis() / 1e3);
        meters.gauge(Metric.PODS_UNMARKED, sources::podsUnmarked);
        meters.gauge(Metric.SOURCE_UP, () -> sources.state().kafka().ok() ? 1 : 0, "kafka");
        meters.gauge(Metric.SOURCE_UP, () -> sources.state().store().ok() ? 1 : 0, "store");
    }

    private long jobs(String kind, Predicate<Status> which) {
        return now().jobs(some -> some.kind().equals(kind) && which.test(some.status()));
    }
}
