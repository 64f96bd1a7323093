package io.trainyard.cli;

import io.trainyard.event.DeviceUse;
import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.share.ProjectRow;
import io.trainyard.share.ProjectRules;
import io.trainyard.share.ProjectUse;
import io.trainyard.spec.JobSpec;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A table of projects, computed from the events of their jobs.
final class ProjectRows {
    static final List<String> TITLES =
            List.of("PROJECT", "WEIGHT", "SHARE", "HAD", "RUNNING", "MAY RUN", "WAITING", "MAY WAIT");

    private static final String ANY = "any";

    private ProjectRows() {}

    static List<ProjectRow> of(ProjectRules rules, Collection<JobState> jobs, long nowMillis) {
        Map<String, ProjectUse> uses = new HashMap<>();
        for (JobState job : jobs) {
            JobSpec spec = job.spec();
            if (spec != null) {
                uses.merge(
                        spec.projectName(),
                        use(job, nowMillis - rules.window().toMillis(), nowMillis),
                        ProjectUse::plus);
            }
        }
        return ProjectRow.of(rules, uses);
    }

    private static ProjectUse use(JobState job, long fromMillis, long nowMillis) {
        return new ProjectUse(
                job.status() == Status.RUNNING ? 1 : 0,
                job.status() == Status.QUEUED ? 1 : 0,
                job.deviceUses().stream()
                        .mapToDouble(use -> use.devices() * seconds(use, fromMillis, nowMillis))
                        .sum());
    }

    private static double seconds(DeviceUse use, long fromMillis, long nowMillis) {
        return Math.max(0, Math.min(use.endMillis(), nowMillis) - Math.max(use.startMillis(), fromMillis)) / 1e3;
    }

    static List<String> cells(ProjectRow row) {
        double weight = row.rule().weight();
        return List.of(
                row.project(),
                weight == Math.rint(weight) ? "%.0f".formatted(weight) : Double.toString(weight),
                percent(row.share()),
                percent(row.had()),
                Long.toString(row.running()),
                quota(row.rule().running()),
                Long.toString(row.waiting()),
                quota(row.rule().waiting()));
    }

    private static String quota(@Nullable Integer most) {
        return most == null ? ANY : Integer.toString(most);
    }

    private static String percent(@Nullable Double part) {
        return part == null ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * part);
    }
}
