package io.trainyard.dashboard;

import io.trainyard.dashboard.LossCurve.Bucket;
import io.trainyard.event.JobBook;
import io.trainyard.event.JobNews;
import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.JobState;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.event.WorkerStatus;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Everything the dashboard knows, in bounded space: the jobs' states, kept in a [JobBook], their loss curves, and
/// the workers. The topics may be read side by side and more than once; the outcome is the same.
///
/// Every change has a version, so that a reader asks for what is new to it, however slow it is. Thread-safe.
public final class JobHistory {
    /// What is kept; the fields are those of [DashboardConfig], times in milliseconds.
    public record Limits(
            int maxJobs, int curveBuckets, int maxWorkers, long workerGoneMillis, long workerForgottenMillis) {}

    private static final class Entry {
        final JobState state;
        final LossCurve losses;
        long version;

        Entry(JobState state, int curveBuckets) {
            this.state = state;
            losses = new LossCurve(curveBuckets);
        }
    }

    private record Seen(WorkerStatus status, long millis, boolean gone) {}

    private final Limits limits;
    private final JobBook book;

    /// Of the jobs in the book.
    private final Map<String, Entry> jobs = new HashMap<>();
    private final Map<String, Seen> workers = new HashMap<>();

    private long version = 1;
    private long jobLeftVersion;
    private long workersVersion;

    public JobHistory(Limits limits) {
        this.limits = limits;
        book = new JobBook(limits.maxJobs(), this::forget);
    }

    /// Takes in one piece of news of a job.
    public synchronized void apply(JobNews news) {
        JobState state = book.take(news);
        if (state == null) {
            return;
        }
        Entry entry = jobs.computeIfAbsent(news.job(), _ -> new Entry(state, limits.curveBuckets()));
        entry.version = ++version;
        if (news instanceof Happened happened
                && happened.event() instanceof StepLosses losses
                && state.believes(happened)) {
            entry.losses.add(losses.attempt(), state.attempt(), losses.firstStep(), losses.losses());
        }
    }

    private void forget(String job) {
        jobs.remove(job);
        jobLeftVersion = ++version;
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
    public synchronized Optional<JobDetail> job(String id) {
        return Optional.ofNullable(jobs.get(id)).map(entry -> JobDetail.of(entry.state));
    }

    /// The losses between two steps, both inclusive, in at most `maxPoints` points; empty if there is no such job.
    public synchronized Optional<LossPoints> losses(String id, long fromStep, long toStep, int maxPoints) {
        return Optional.ofNullable(jobs.get(id)).map(entry -> {
            List<Bucket> buckets = entry.losses.between(fromStep, toStep, maxPoints, entry.state.attemptsToSteps());
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
                .sorted(Comparator.comparingLong((Entry entry) -> entry.state.firstHeardMillis())
                        .reversed()
                        .thenComparing(entry -> entry.state.job()))
                .map(entry -> JobSummary.of(entry.state))
                .toList();
    }
}
