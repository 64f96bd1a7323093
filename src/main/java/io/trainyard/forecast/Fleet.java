package io.trainyard.forecast;

import io.trainyard.event.JobState.Status;
import io.trainyard.share.ProjectRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What is known of a fleet at a moment.
///
/// @param jobs those that wait, run and rest, and some that have ended, from which it is learnt how long jobs take
/// @param workers that are there: that have not stopped, and were heard of lately
/// @param prefix of the topics' names
/// @param nowMillis the moment, since 1970
/// @param rules how projects share it
public record Fleet(List<JobFacts> jobs, List<WorkerFacts> workers, String prefix, long nowMillis, ProjectRules rules) {
    /// A heartbeat is so old at most: a claim may be newer.
    private static final long HEARTBEAT_MILLIS = 5_000;

    public Fleet {
        jobs = List.copyOf(jobs);
        workers = heard(workers, jobs, nowMillis);
    }

    /// One that nothing is known of how projects share it.
    public Fleet(List<JobFacts> jobs, List<WorkerFacts> workers, String prefix, long nowMillis) {
        this(jobs, workers, prefix, nowMillis, ProjectRules.NONE);
    }

    /// Workers have what they say, but for what has ended or begun since, as far as events have told it.
    private static List<WorkerFacts> heard(List<WorkerFacts> workers, List<JobFacts> jobs, long nowMillis) {
        Map<String, JobFacts> known = new HashMap<>();
        Map<String, List<String>> begun = new HashMap<>();
        for (JobFacts job : jobs) {
            known.put(job.job(), job);
            if (job.status() == Status.RUNNING
                    && job.worker() != null
                    && nowMillis - job.claimMillis() < HEARTBEAT_MILLIS) {
                begun.computeIfAbsent(job.worker(), _ -> new ArrayList<>()).add(job.job());
            }
        }
        return workers.stream()
                .map(worker -> {
                    Set<String> has = new LinkedHashSet<>(worker.jobs());
                    has.removeIf(job -> isOver(known.get(job), worker.worker()));
                    has.addAll(begun.getOrDefault(worker.worker(), List.of()));
                    return worker.with(List.copyOf(has));
                })
                .toList();
    }

    private static boolean isOver(@Nullable JobFacts job, String worker) {
        return job != null
                && (job.status().isFinal() || (job.status() != Status.RUNNING && worker.equals(job.worker())));
    }
}
