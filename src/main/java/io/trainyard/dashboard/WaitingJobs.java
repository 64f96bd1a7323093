package io.trainyard.dashboard;

import io.trainyard.event.JobState.Status;
import io.trainyard.event.WorkerStatus;
import io.trainyard.forecast.Fleet;
import io.trainyard.forecast.Forecast;
import io.trainyard.forecast.JobFacts;
import io.trainyard.forecast.StartForecast;
import io.trainyard.share.ProjectRules;
import io.trainyard.tracking.JobQuery;
import io.trainyard.tracking.JobSummary;
import io.trainyard.tracking.TrackingStore;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The unfinished and the recently ended jobs, with the forecasts of the waiting ones. Memory is bounded: above
/// a limit, the newest waiting jobs have no forecast until others have begun. Thread-safe.
final class WaitingJobs {
    private static final List<String> KINDS = List.of("auto", "reference", "cpu", "cuda");
    private static final Set<Status> UNDER_WAY = EnumSet.of(Status.QUEUED, Status.RUNNING, Status.PAUSED);

    private static final Set<Status> ENDED = EnumSet.of(Status.FINISHED, Status.FAILED, Status.CANCELLED);

    /// The maximum number of unfinished jobs. With 1,000 workers, their forecast takes about a second.
    private static final int MAX_UNDER_WAY = 20_000;

    /// The maximum number of ended jobs, from which job durations are estimated.
    private static final int MAX_ENDED = 2_000;

    private static final int PAGE = 500;

    private final TrackingStore store;
    private final Map<String, JobFacts> underWay = new HashMap<>();
    private final Map<String, JobFacts> ended = new LinkedHashMap<>(); // in the order of eviction
    private boolean incomplete;
    private volatile Forecast forecast = Forecast.NONE;

    WaitingJobs(TrackingStore store) {
        this.store = store;
        take(store.jobs(new JobQuery(ENDED, "", "", JobQuery.Sort.SUBMITTED, true, PAGE, 0))
                .jobs()
                .reversed());
        load();
    }

    private void load() {
        incomplete = false;
        for (int offset = 0; !incomplete; offset += PAGE) {
            List<JobSummary> page = store.jobs(
                            new JobQuery(UNDER_WAY, "", "", JobQuery.Sort.SUBMITTED, false, PAGE, offset))
                    .jobs();
            take(page);
            if (page.size() < PAGE) {
                return;
            }
        }
    }

    synchronized void take(Collection<JobSummary> changed) {
        for (JobSummary job : changed) {
            JobFacts facts = job.facts();
            if (facts == null) {
                continue;
            }
            if (!job.status().isFinal()) {
                if (underWay.size() < MAX_UNDER_WAY || underWay.containsKey(job.job())) {
                    underWay.put(job.job(), facts);
                } else {
                    incomplete = true;
                }
                continue;
            }
            underWay.remove(job.job());
            ended.remove(job.job());
            ended.put(job.job(), facts);
            if (ended.size() > MAX_ENDED) {
                ended.remove(ended.keySet().iterator().next());
            }
        }
    }

    synchronized void forget(Collection<String> forgotten) {
        underWay.keySet().removeAll(forgotten);
        ended.keySet().removeAll(forgotten);
    }

    private synchronized List<JobFacts> jobs() {
        if (incomplete && underWay.size() < MAX_UNDER_WAY / 2) {
            load();
        }
        return Stream.concat(ended.values().stream(), underWay.values().stream())
                .toList();
    }

    /// Whether any known job waits or is paused.
    synchronized boolean isAny() {
        return underWay.values().stream().anyMatch(job -> job.status() != Status.RUNNING);
    }

    /// Computes the forecast.
    ///
    /// @param workers the live workers
    /// @return whether there is or was a forecast to show
    boolean look(List<WorkerStatus> workers, ProjectRules rules, long nowMillis) {
        Forecast before = forecast;
        forecast = isAny() ? Forecast.of(new Fleet(jobs(), workers, nowMillis, rules)) : Forecast.NONE;
        return !forecast.forecasts().isEmpty() || !before.forecasts().isEmpty();
    }

    /// The forecast of a job; null if it neither waits nor is paused, or has just arrived.
    @Nullable
    StartForecast forecast(JobSummary job) {
        boolean holds = job.status() == Status.QUEUED || job.status() == Status.PAUSED;
        return holds ? forecast.of(job.job()) : null;
    }

    /// The forecasts of the first jobs, by job.
    Map<String, StartForecast> first(int most) {
        Map<String, StartForecast> first = new LinkedHashMap<>();
        forecast.forecasts().values().stream().limit(most).forEach(start -> first.put(start.job(), start));
        return first;
    }

    /// Why jobs without a forecast wait, in words, by the device kind that they request.
    static Map<String, String> byKind(List<WorkerStatus> workers) {
        Fleet fleet = new Fleet(List.of(), workers, 0, ProjectRules.NONE);
        return KINDS.stream().collect(Collectors.toMap(kind -> kind, kind -> Forecast.ofNext(kind, fleet)));
    }

    /// A text to follow "waits: "; null if the job does not wait.
    @Nullable
    String reason(JobSummary job, List<WorkerStatus> workers) {
        StartForecast start = forecast(job);
        if (start != null) {
            return start.sentence();
        }
        if (job.status() == Status.PAUSED) {
            return "it is paused until it is resumed";
        }
        return job.status() == Status.QUEUED
                ? byKind(workers)
                        .getOrDefault(job.wants() == null ? "auto" : job.wants(), "a worker is about to claim it")
                : null;
    }
}
