package io.trainyard.forecast;

import io.trainyard.event.WorkerStatus;
import io.trainyard.share.ProjectRules;
import io.trainyard.spec.JobSpec;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/// The known state of a fleet at a moment.
///
/// @param jobs the waiting, running and paused jobs, and some that have ended, from which durations are
///     estimated
/// @param workers the live workers, sorted by id
public record Fleet(List<JobFacts> jobs, List<WorkerStatus> workers, long nowMillis, ProjectRules rules) {
    public Fleet {
        jobs = List.copyOf(jobs);
        workers = workers.stream()
                .sorted(Comparator.comparing(WorkerStatus::worker))
                .toList();
    }

    /// The project that a job counts for. Without project rules, all jobs count for the default project.
    String project(JobFacts job) {
        String project =
                rules.isNone() || job.work() == null ? null : job.work().project();
        return Objects.requireNonNullElse(project, JobSpec.DEFAULT_PROJECT);
    }
}
