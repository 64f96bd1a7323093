package io.trainyard.dashboard;

import io.trainyard.dashboard.LossCurve.Bucket;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent;
import io.trainyard.event.TrainingEvent.Started;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.event.WorkerStatus;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Everything the dashboard knows, in bounded space: the state and the loss curve of the jobs that matter most, and
/// the workers. The topics may be read side by side and more than once; the outcome is the same.
///
/// Every change has a version, so that a reader asks for what is new to it, however slow it is. Thread-safe.
public final class JobHistory {
    /// What is kept; the fields are those of [DashboardConfig], times in milliseconds.
    public record Limits(
            int maxJobs, int curveBuckets, int maxWorkers, long workerGoneMillis, long workerForgottenMillis) {}

    /// Ids are at most 100 characters where jobs are checked; a longer one is no job of this fleet.
    static final int MAX_ID = 200;

    private static final class Entry {
        final JobState state;
        final LossCurve losses;
        long firstMillis = Long.MAX_VALUE;
        long lastMillis;
        long version;

        Entry(String job, int curveBuckets) {
            state = new JobState(job);
            losses = new LossCurve(curveBuckets);
        }

        JobSummary summary() {
            return JobSummary.of(state, firstMillis);
        }
    }

    private record Seen(WorkerStatus status, long millis, boolean gone) {}

    private final Limits limits;
    private final Map<String, Entry> jobs = new HashMap<>();
    private final Map<String, Seen> workers = new HashMap<>();
    /// When jobs that have left were last heard of. The rest of their events may be read after they left, and
    /// must not bring them back as jobs without an end.
    private final Map<String, Long> left = new LinkedHashMap<>();

    private long version = 1;
    private long jobLeftVersion;
    private long workersVersion;

    public JobHistory(Limits limits) {
        this.limits = limits;
    }

    /// Takes in one event.
    ///
    /// @param millis when it was sent, since 1970
    /// @throws IllegalArgumentException if its job or attempt cannot be
    public synchronized void apply(TrainingEvent event, long millis) {
        checkId("job", event.job());
        if (event.attempt() < 1) {
            throw new IllegalArgumentException("the attempt is %d; attempts count from 1".formatted(event.attempt()));
        }
        if (millis <= left.getOrDefault(event.job(), Long.MIN_VALUE)) {
            return;
        }
        left.remove(event.job());
        Entry entry = jobs.computeIfAbsent(event.job(), job -> new Entry(job, limits.curveBuckets()));
        entry.firstMillis = Math.min(entry.firstMillis, millis);
        entry.lastMillis = Math.max(entry.lastMillis, millis);
        entry.version = ++version;
        if (event instanceof Started started) {
            entry.losses.begin(started.attempt(), started.firstStep());
        } else if (event instanceof StepLosses losses) {
            entry.losses.add(losses.attempt(), losses.firstStep(), losses.losses());
        }
        entry.state.apply(event);
        while (jobs.size() > limits.maxJobs()) {
            dropOneJob();
        }
    }

    private static void checkId(String what, String id) {
        if (id == null || id.isEmpty() || id.length() > MAX_ID) {
            throw new IllegalArgumentException("the %s's id has %d characters; allowed is 1 to %d"
                    .formatted(what, id == null ? 0 : id.length(), MAX_ID));
        }
    }

    private void dropOneJob() {
        Entry quietest = jobs.values().stream()
                .min(Comparator.comparing((Entry entry) -> !entry.state.status().isFinal())
                        .thenComparingLong(entry -> entry.lastMillis))
                .orElseThrow();
        jobs.remove(quietest.state.job());
        left.put(quietest.state.job(), quietest.lastMillis);
        if (left.size() > 10 * limits.maxJobs()) {
            left.remove(left.keySet().iterator().next());
        }
        jobLeftVersion = ++version;
    }

    /// Takes in one heartbeat.
    ///
    /// @param millis when it was sent, since 1970
    public synchronized void apply(WorkerStatus status, long millis) {
        checkId("worker", status.worker());
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
    public synchronized Optional<JobDetail> job(String id) {
        return Optional.ofNullable(jobs.get(id)).map(entry -> JobDetail.of(entry.summary(), entry.state));
    }

    /// The losses between two steps, both inclusive, in at most `maxPoints` points; empty if there is no such job.
    public synchronized Optional<LossPoints> losses(String id, long fromStep, long toStep, int maxPoints) {
        return Optional.ofNullable(jobs.get(id)).map(entry -> {
            List<Bucket> buckets = entry.losses.between(fromStep, toStep, maxPoints);
            return LossPoints.of(id, entry.state.attempt(), buckets);
        });
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
                .filter(entry -> entry.version > after)
                .sorted(Comparator.comparingLong((Entry entry) -> entry.firstMillis)
                        .reversed()
                        .thenComparing(entry -> entry.state.job()))
                .map(Entry::summary)
                .toList();
    }
}
