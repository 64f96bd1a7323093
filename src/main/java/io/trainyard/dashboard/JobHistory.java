package io.trainyard.dashboard;

import io.trainyard.event.JobNews;
import io.trainyard.event.JobState.Status;
import io.trainyard.event.WorkerStatus;
import io.trainyard.tracking.JobQuery;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.Partition;
import io.trainyard.tracking.TrackingException;
import io.trainyard.tracking.TrackingStore;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// What the page shows: the newest jobs and those that run, kept here, all others from the tracking store, and the
/// workers.
///
/// Every change has a version, so that a reader asks for what is new to it, however slow it is. Thread-safe.
public final class JobHistory {
    /// What is kept; the fields are those of [DashboardConfig], times in milliseconds.
    public record Limits(int maxJobs, int maxWorkers, long workerGoneMillis, long workerForgottenMillis) {}

    /// A job, as it is since a version.
    private record Entry(JobSummary job, long version) {}

    private record Seen(WorkerStatus status, long millis, boolean gone) {}

    private static final Comparator<JobSummary> NEWEST_FIRST =
            Comparator.comparingLong(JobSummary::firstSeenMillis).reversed().thenComparing(JobSummary::job);

    /// The first is the next to leave.
    private static final Comparator<JobSummary> LEAVING =
            Comparator.comparing(JobHistory::isUnderWay).thenComparing(NEWEST_FIRST.reversed());

    private final TrackingStore store;
    private final Limits limits;
    private final Map<String, Entry> jobs = new HashMap<>();
    private final NavigableSet<JobSummary> leaving = new TreeSet<>(LEAVING);
    private final Map<String, Seen> workers = new HashMap<>();

    private long version = 1;
    private long jobLeftVersion;
    private long workersVersion;

    public JobHistory(TrackingStore store, Limits limits) {
        this.store = store;
        this.limits = limits;
        Set<Status> underWay = EnumSet.of(Status.RUNNING, Status.QUEUED, Status.PAUSED);
        show(store.jobs(JobQuery.newest(limits.maxJobs())).jobs());
        show(store.jobs(new JobQuery(underWay, "", JobQuery.Sort.HEARD, true, limits.maxJobs(), 0))
                .jobs());
    }

    private static boolean isUnderWay(JobSummary job) {
        return job.attempt() > 0 && !job.status().isFinal();
    }

    /// How far the topics were read.
    public Map<Partition, Long> offsets() {
        return store.offsets();
    }

    /// Takes in news of jobs, and how far the topics were read with them.
    ///
    /// @throws IllegalArgumentException if the database refuses it; nothing was taken in
    /// @throws TrackingException if the store fails, or another process was quicker; nothing was taken in
    public void apply(Collection<JobNews> news, Map<Partition, Long> next) {
        show(store.take(news, next));
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

    /// Takes in one heartbeat.
    ///
    /// @param millis when it was sent, since 1970
    public synchronized void apply(WorkerStatus status, long millis) {
        Seen known = workers.get(status.worker());
        if (known != null && known.millis() > millis) {
            return;
        }
        if (status.stopping()) {
            workers.remove(status.worker());
        } else {
            workers.put(status.worker(), new Seen(status, millis, false));
        }
        while (workers.size() > limits.maxWorkers()) {
            workers.remove(workers.values().stream()
                    .min(Comparator.comparingLong(Seen::millis))
                    .orElseThrow()
                    .status()
                    .worker());
        }
        workersVersion = ++version;
    }

    /// Workers leave by falling silent; this notices.
    private void watchWorkers(long nowMillis) {
        boolean changed = workers.values().removeIf(seen -> nowMillis - seen.millis() > limits.workerForgottenMillis());
        for (Map.Entry<String, Seen> entry : workers.entrySet()) {
            Seen seen = entry.getValue();
            boolean gone = nowMillis - seen.millis() > limits.workerGoneMillis();
            if (gone != seen.gone()) {
                entry.setValue(new Seen(seen.status(), seen.millis(), gone));
                changed = true;
            }
        }
        if (changed) {
            workersVersion = ++version;
        }
    }

    /// All jobs, the newest first.
    public synchronized List<JobSummary> jobs() {
        return summaries(0);
    }

    /// All workers, by id.
    public synchronized List<WorkerView> workers(long nowMillis) {
        watchWorkers(nowMillis);
        return workers.values().stream()
                .map(seen -> WorkerView.of(seen.status(), seen.millis(), seen.gone()))
                .sorted(Comparator.comparing(WorkerView::worker))
                .toList();
    }

    /// Empty if there is no such job.
    public Optional<JobDetail> job(String id) {
        return store.job(id).map(JobDetail::of);
    }

    /// The losses between two steps, both inclusive, in at most `maxPoints` points; empty if there is no such job.
    public Optional<LossPoints> losses(String id, long fromStep, long toStep, int maxPoints) {
        return store.losses(id, fromStep, toStep, maxPoints / 2 - 1).map(curve -> LossPoints.of(id, curve));
    }

    /// What is new since `known`, an earlier update's version; 0 asks for everything.
    public synchronized LiveUpdate since(long known, long nowMillis) {
        watchWorkers(nowMillis);
        boolean snapshot = known == 0 || jobLeftVersion > known;
        return new LiveUpdate(
                version,
                snapshot,
                summaries(snapshot ? 0 : known),
                snapshot || workersVersion > known ? workers(nowMillis) : null,
                nowMillis);
    }

    private List<JobSummary> summaries(long after) {
        return jobs.values().stream()
                .filter(entry -> entry.version() > after)
                .map(Entry::job)
                .sorted(NEWEST_FIRST)
                .toList();
    }
}
