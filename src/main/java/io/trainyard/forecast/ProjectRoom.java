package io.trainyard.forecast;

import io.trainyard.event.JobState.Status;
import io.trainyard.forecast.WaitReason.AtQuota;
import io.trainyard.share.Hold;
import io.trainyard.share.ProjectRules;
import io.trainyard.spec.JobSpec;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How many more jobs of each project may run, of those that wait in their order.
final class ProjectRoom {
    private final ProjectRules rules;
    private final Map<String, Integer> running = new HashMap<>();
    private final Map<String, Integer> next = new HashMap<>();

    ProjectRoom(Fleet fleet) {
        rules = fleet.rules();
        if (!rules.isNone()) {
            fleet.jobs().stream()
                    .filter(job -> job.status() == Status.RUNNING)
                    .forEach(job -> running.merge(project(job), 1, Integer::sum));
        }
    }

    private static String project(JobFacts job) {
        String project = job.work() == null ? null : job.work().project();
        return project == null ? JobSpec.DEFAULT_PROJECT : project;
    }

    /// Lets a job be one of those that may run.
    ///
    /// @return why it may not; null: it may
    @Nullable
    AtQuota take(JobFacts job) {
        String project = project(job);
        Integer most = rules.of(project).running();
        if (most == null) {
            return null;
        }
        int now = running.getOrDefault(project, 0);
        if (now + next.getOrDefault(project, 0) >= most) {
            return new AtQuota(new Hold.Quota(project, now, most));
        }
        next.merge(project, 1, Integer::sum);
        return null;
    }
}
