package io.trainyard.forecast;

import io.trainyard.event.WorkerStatus;
import io.trainyard.share.ProjectRules;
import io.trainyard.spec.JobSpec;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/// What is known of a fleet at a moment.
///
/// @param jobs those that wait, run and rest, and some that have ended, from which it is learnt how long jobs take
/// @param workers that are there, by id: that have not stopped, and were heard of lately
public record Fleet(List<JobFacts> jobs, List<WorkerStatus> workers, long nowMillis, ProjectRules rules) {
    public Fleet {
        jobs = List.copyOf(jobs);
        workers = workers.stream()
                .sorted(Comparator.comparing(WorkerStatus::worker))
                .toList();
    }

    /// The project whose share a job uses. Where nothing is said of how they share the fleet, all jobs are of one.
    String project(JobFacts job) {
        String project =
                rules.isNone() || job.work() == null ? null : job.work().project();
        return Objects.requireNonNullElse(project, JobSpec.DEFAULT_PROJECT);
    }
}
