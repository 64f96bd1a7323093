package io.trainyard.dashboard;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.MetricValues;
import io.trainyard.event.WorkerStatus;
import io.trainyard.forecast.StartForecast;
import io.trainyard.share.ProjectRules;
import io.trainyard.share.ProjectUse;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobJson;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Metric;
import io.trainyard.sweep.SweepView;
import io.trainyard.tracking.JobPage;
import io.trainyard.tracking.JobQuery;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.Partition;
import io.trainyard.tracking.StoredChanges;
import io.trainyard.tracking.TrackingException;
import io.trainyard.tracking.TrackingStore;
import io.trainyard.tracking.Transition;
import io.trainyard.tracking.UnfinishedJobs;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The jobs and workers that the dashboard shows. The newest and the unfinished jobs are in memory, all others
/// in the tracking store.
///
/// Every change has a version, so that each reader can request what changed since its last request.
/// Thread-safe.
public final class JobHistory {
    /// The fields of [DashboardConfig], times in milliseconds.
    public record Limits(int maxJobs, int maxWorkers, long workerLostMillis, long workerRemovedMillis) {}

    private record Entry(JobSummary job, long version) {}

    /// @param bytes size of its heartbeat
    private record Seen(WorkerStatus status, int bytes, long millis, boolean lost) {}

    /// The size limit of the newest heartbeats. 1,000 workers with 16 slots and GPUs need 5 MB.
    private static final long MAX_HEARTBEAT_BYTES = 8 << 20;

    private static final int MAX_GROUP = 10_000;

    private static final Comparator<JobSummary> NEWEST_FIRST =
            Comparator.comparingLong(JobSummary::firstSeenMillis).reversed().thenComparing(JobSummary::job);

    /// The eviction order.
    private static final Comparator<JobSummary> LEAVING =
            Comparator.comparing(JobHistory::isUnderWay).thenComparing(NEWEST_FIRST.reversed());

    /// The maximum number of forecasts on the live stream, for the jobs that are next.
    private static final int MAX_FORECASTS = 200;

    private final TrackingStore store;
    private final SourceStatus sources;
    private final Limits limits;
    private final Map<String, Entry> jobs = new HashMap<>();
    private final NavigableSet<JobSummary> leaving = new TreeSet<>(LEAVING);
    private final Map<String, Seen> workers = new HashMap<>();
    private final WaitingJobs waiting;
    private final DeviceSamples deviceSamples = new DeviceSamples();
    private final List<Consumer<Collection<JobRecord>>> listeners = new CopyOnWriteArrayList<>();

    private long version = 1;
    private long jobLeftVersion;
    private long workersVersion;
    private long forecastsVersion;

    public JobHistory(TrackingStore store, SourceStatus sources, Limits limits) {
        this.store = store;
        this.sources = sources;
        this.limits = limits;
        this.waiting = new WaitingJobs(store);
        Set<Status> underWay = EnumSet.of(Status.RUNNING, Status.QUEUED, Status.PAUSED);
        show(store.jobs(JobQuery.newest(limits.maxJobs())).jobs());
        show(store.jobs(new JobQuery(underWay, "", "", JobQuery.Sort.SUBMITTED, true, limits.maxJobs(), 0))
                .jobs());
    }

    private static boolean isUnderWay(JobSummary job) {
        return job.attempt() > 0 && !job.status().isFinal();
    }

    /// Stores records of jobs and the offsets after them.
    ///
    /// @return the transitions of the jobs
    /// @throws IllegalArgumentException if the database refuses the data; nothing was stored
    /// @throws TrackingException if the store fails or another process wrote first; nothing was stored
    public List<Transition> apply(Collection<JobRecord> jobRecords, Map<Partition, Long> next) {
        return apply(jobRecords, List.of(), next);
    }

    /// Like the other `apply`, with users' metrics.
    public List<Transition> apply(
            Collection<JobRecord> jobRecords, Collection<MetricValues> metrics, Map<Partition, Long> next) {
        StoredChanges taken = store.take(jobRecords, metrics, next);
        show(taken.changed());
        touch(metrics);
        waiting.take(taken.changed());
        listeners.forEach(listener -> listener.accept(jobRecords));
        return taken.transitions();
    }

    /// Adds a listener for stored records. It is called by the reader thread and must not block. Records may be
    /// repeated.
    void onJobRecord(Consumer<Collection<JobRecord>> listener) {
        listeners.add(listener);
    }

    /// Removes jobs that were deleted from the store.
    synchronized void forget(Collection<String> forgotten) {
        waiting.forget(forgotten);
        for (String job : forgotten) {
            Entry left = jobs.remove(job);
            if (left != null) {
                leaving.remove(left.job());
                jobLeftVersion = ++version;
            }
        }
    }

    /// Sends the jobs to readers again, so that they read the metrics.
    private synchronized void touch(Collection<MetricValues> metrics) {
        metrics.forEach(values -> jobs.computeIfPresent(values.job(), (_, entry) -> new Entry(entry.job(), ++version)));
    }

    private synchronized void show(Collection<JobSummary> changed) {
        for (JobSummary job : changed) {
            Entry before = jobs.put(job.job(), new Entry(job, ++version));
            if (before != null) {
                leaving.remove(before.job());
            }
            leaving.add(job);
            if (jobs.size() > limits.maxJobs()) {
                JobSummary left = leaving.removeFirst();
                jobs.remove(left.job());
                if (!left.job().equals(job.job())) {
                    jobLeftVersion = ++version;
                }
            }
        }
    }

    /// Applies a heartbeat.
    ///
    /// @param bytes its size
    /// @param millis its time, Unix time in ms
    /// @return the number of failed checkpoints since the worker's previous heartbeat
    public synchronized int apply(WorkerStatus status, int bytes, long millis) {
        Seen known = workers.get(status.worker());
        if (known != null && known.millis() > millis) {
            return 0;
        }
        deviceSamples.take(status, millis);
        if (status.stopping()) {
            workers.remove(status.worker());
        } else {
            workers.put(status.worker(), new Seen(status, bytes, millis, false));
        }
        long all = workers.values().stream().mapToLong(Seen::bytes).sum();
        while (workers.size() > limits.maxWorkers() || all > MAX_HEARTBEAT_BYTES) {
            Seen longestUnseen = Collections.min(workers.values(), Comparator.comparingLong(Seen::millis));
            workers.remove(longestUnseen.status().worker());
            all -= longestUnseen.bytes();
        }
        workersVersion = ++version;
        int now = status.checkpointFailures();
        int before = known == null ? now : known.status().checkpointFailures();
        return now < before ? now : now - before; // a smaller value comes from a restarted process
    }

    /// Detects workers without heartbeats.
    private void watchWorkers(long nowMillis) {
        boolean changed = workers.values().removeIf(seen -> nowMillis - seen.millis() > limits.workerRemovedMillis());
        for (Map.Entry<String, Seen> entry : workers.entrySet()) {
            Seen seen = entry.getValue();
            boolean lost = nowMillis - seen.millis() > limits.workerLostMillis();
            if (lost != seen.lost()) {
                entry.setValue(new Seen(seen.status(), seen.bytes(), seen.millis(), lost));
                changed = true;
            }
        }
        if (changed) {
            workersVersion = ++version;
        }
    }

    public JobPage jobs(JobQuery query) {
        return store.jobs(query);
    }

    /// The number of unfinished jobs by status, device kind and topic.
    List<UnfinishedJobs> underWay() {
        return store.underWay();
    }

    /// The running and queued jobs of each project that has any, and its device time in the last window.
    Map<String, ProjectUse> projects(Duration window) {
        long now = sources.knownMillis();
        return store.projects(now - window.toMillis(), now);
    }

    /// Why a job waits, in words; empty if it does not wait.
    public Optional<String> waiting(JobSummary job) {
        return Optional.ofNullable(waiting.reason(job, workersThere(sources.knownMillis())));
    }

    /// The forecast of a waiting job; null if it does not wait and before the first forecast.
    public @Nullable StartForecast forecast(JobSummary job) {
        return waiting.forecast(job);
    }

    /// Computes the forecast of all waiting jobs. Takes a fraction of a second for thousands of jobs.
    void lookAhead(ProjectRules rules) {
        long millis = sources.knownMillis();
        if (waiting.look(workersThere(millis), rules, millis)) {
            synchronized (this) {
                forecastsVersion = ++version;
            }
        }
    }

    private synchronized List<WorkerStatus> workersThere(long nowMillis) {
        watchWorkers(nowMillis);
        return workers.values().stream()
                .filter(seen -> !seen.lost())
                .map(Seen::status)
                .sorted(Comparator.comparing(WorkerStatus::worker))
                .toList();
    }

    public synchronized List<WorkerView> workers(long nowMillis) {
        watchWorkers(nowMillis);
        return workers.values().stream()
                .map(seen -> WorkerView.of(seen.status(), seen.millis(), seen.lost()))
                .sorted(Comparator.comparing(WorkerView::worker))
                .toList();
    }

    /// Empty if the job is unknown.
    public Optional<JobDetail> job(String id) {
        return store.known(id).map(known -> {
            JobState state = known.state();
            JobTimeline timeline = new JobTimeline(state);
            store.eachJobRecord(id, timeline::take);
            JobSummary summary = JobSummary.of(state);
            return JobDetail.of(
                    state,
                    timeline,
                    known.omitted(),
                    waiting(summary).orElse(null),
                    forecast(summary),
                    store.remarks(id),
                    store.control(id),
                    store.submitters().of(id),
                    deviceSamples.of(id));
        });
    }

    /// The comparison of a group's jobs; empty if the group has no jobs.
    public Optional<SweepView> sweep(String group) {
        Map<String, JobSummary> jobs = new LinkedHashMap<>();
        group(group).forEach(job -> jobs.put(job.job(), job));
        SweepView.Table table = new SweepView.Table(group);
        store.eachCommand(JobQuery.ofGroup(group, MAX_GROUP), (id, command) -> {
            JobSummary job = jobs.remove(id);
            if (job != null) {
                add(job, command, table);
            }
        });
        jobs.values().forEach(job -> add(job, null, table));
        return table.isEmpty() ? Optional.empty() : Optional.of(table.view());
    }

    private void add(JobSummary job, @Nullable String command, SweepView.Table table) {
        JobSpec spec = spec(job.job(), command);
        Metric metric = Metric.of(spec, false);
        Double best = switch (metric) {
            case ACCURACY -> job.bestTestAccuracy();
            case LOSS -> job.bestTestLoss();
            case MACRO_F1 -> job.bestMetricValue();
        };
        Double last = switch (metric) {
            case ACCURACY -> job.testAccuracy();
            case LOSS -> job.testLoss();
            case MACRO_F1 -> job.metricValue();
        };
        table.add(SweepView.Trial.of(job.job(), job.status(), spec, job.epochsDone(), best, last, job.reason()), spec);
    }

    /// The jobs of a group, without the sweep that was expanded into them.
    public List<JobSummary> group(String group) {
        return store.jobs(JobQuery.ofGroup(group, MAX_GROUP)).jobs().stream()
                .filter(job -> job.status() != Status.EXPANDED)
                .toList();
    }

    /// The job from its command, or else as it runs. Null if another version wrote a command that this one
    /// cannot read.
    private @Nullable JobSpec spec(String job, @Nullable String command) {
        try {
            return command == null ? store.job(job).map(JobState::spec).orElse(null) : JobJson.readWritten(command);
        } catch (InvalidJobException _) {
            return null; // its values are not shown
        }
    }

    /// The changes since `known`, the version of an earlier update; 0 requests everything.
    public LiveUpdate since(long known) {
        return since(known, sources.knownMillis());
    }

    synchronized LiveUpdate since(long known, long millis) {
        watchWorkers(millis);
        boolean snapshot = known == 0 || jobLeftVersion > known;
        List<WorkerView> views = snapshot || workersVersion > known ? workers(millis) : null;
        return new LiveUpdate(
                version,
                snapshot,
                summaries(snapshot ? 0 : known),
                views,
                views == null ? null : WaitingJobs.byKind(workersThere(millis)),
                snapshot || forecastsVersion > known ? waiting.first(MAX_FORECASTS) : null,
                sources.state(),
                System.currentTimeMillis());
    }

    private List<JobSummary> summaries(long after) {
        return jobs.values().stream()
                .filter(entry -> entry.version() > after)
                .map(Entry::job)
                .sorted(NEWEST_FIRST)
                .toList();
    }
}
