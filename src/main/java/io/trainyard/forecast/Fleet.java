package io.trainyard.forecast;

import io.trainyard.event.Control.Urgency;
import io.trainyard.event.WorkerStatus;
import io.trainyard.share.ProjectRules;
import io.trainyard.spec.JobSpec;
import io.trainyard.topics.Priority;
import java.util.List;
import java.util.Objects;

/// What is known of a fleet at a moment.
///
/// @param jobs those that wait, run and rest, and some that have ended, from which it is learnt how long jobs take
/// @param workers that are there: that have not stopped, and were heard of lately
/// @param prefix of the topics' names
/// @param nowMillis the moment, since 1970
/// @param rules how projects share it
public record Fleet(
        List<JobFacts> jobs, List<WorkerStatus> workers, String prefix, long nowMillis, ProjectRules rules) {
    public Fleet {
        jobs = List.copyOf(jobs);
        workers = List.copyOf(workers);
    }

    /// How urgent a job is, by the topic of its command; normal where that is not known.
    Urgency urgency(JobFacts job) {
        String command = Objects.requireNonNullElse(job.command(), "");
        for (Priority priority : Priority.values()) {
            if (priority.topicsOf(Priority.NAMED_KINDS).stream()
                    .anyMatch(topic -> command.startsWith(topic.name(prefix) + "-"))) {
                return priority.urgency();
            }
        }
        return Urgency.NORMAL;
    }

    /// The project whose share a job uses. Where nothing is said of how they share the fleet, all jobs are of one.
    String project(JobFacts job) {
        String project =
                rules.isNone() || job.work() == null ? null : job.work().project();
        return Objects.requireNonNullElse(project, JobSpec.DEFAULT_PROJECT);
    }

    /// How many jobs of a project may run.
    int most(String project) {
        return Objects.requireNonNullElse(rules.of(project).running(), Integer.MAX_VALUE);
    }
}
