package io.trainyard.cli;

import io.trainyard.event.JobState;
import io.trainyard.event.JobState.Status;
import io.trainyard.share.ProjectRule;
import io.trainyard.share.ProjectRules;
import io.trainyard.spec.JobSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Projects as a table: what each may have, and what it has, as the events of jobs tell it.
final class ProjectRows {
    static final List<String> TITLES =
            List.of("PROJECT", "WEIGHT", "SHARE", "HAD", "RUNNING", "MAY RUN", "WAITING", "MAY WAIT");

    private static final String ANY = "any";

    /// A project.
    ///
    /// @param share that it should have, of those that have something to do; null: it has nothing to do
    /// @param had the part of all device time of the last window that it had; null: nobody had any
    /// @param deviceSeconds of the last window
    record Row(
            String project,
            ProjectRule rule,
            @Nullable Double share,
            @Nullable Double had,
            double deviceSeconds,
            long running,
            long waiting) {
        List<String> cells() {
            return List.of(
                    project,
                    rule.weight() == Math.rint(rule.weight())
                            ? "%.0f".formatted(rule.weight())
                            : Double.toString(rule.weight()),
                    percent(share),
                    percent(had),
                    Long.toString(running),
                    quota(rule.running()),
                    Long.toString(waiting),
                    quota(rule.waiting()));
        }

        private static String quota(@Nullable Integer most) {
            return most == null ? ANY : Integer.toString(most);
        }

        private static String percent(@Nullable Double part) {
            return part == null ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * part);
        }
    }

    private static final class Sums {
        double deviceSeconds;
        long running;
        long waiting;

        boolean isBusy() {
            return running + waiting > 0;
        }
    }

    private ProjectRows() {}

    /// Those that are named, and those that jobs name, in alphabetical order.
    ///
    /// @param nowMillis since 1970
    static List<Row> of(ProjectRules rules, Collection<JobState> jobs, long nowMillis) {
        Map<String, Sums> all = new TreeMap<>();
        rules.named().keySet().forEach(project -> all.put(project, new Sums()));
        for (JobState job : jobs) {
            JobSpec spec = job.spec();
            if (spec != null) {
                Sums sums = all.computeIfAbsent(spec.projectName(), _ -> new Sums());
                sums.running += job.status() == Status.RUNNING ? 1 : 0;
                sums.waiting += job.status() == Status.QUEUED ? 1 : 0;
                sums.deviceSeconds += spec.deviceCount()
                        * secondsSince(job, nowMillis - rules.window().toMillis(), nowMillis);
            }
        }
        double weights = all.entrySet().stream()
                .filter(project -> project.getValue().isBusy())
                .mapToDouble(project -> rules.of(project.getKey()).weight())
                .sum();
        double seconds =
                all.values().stream().mapToDouble(sums -> sums.deviceSeconds).sum();
        List<Row> rows = new ArrayList<>();
        all.forEach((project, sums) -> rows.add(new Row(
                project,
                rules.of(project),
                sums.isBusy() ? rules.of(project).weight() / weights : null,
                seconds == 0 ? null : sums.deviceSeconds / seconds,
                sums.deviceSeconds,
                sums.running,
                sums.waiting)));
        return rows;
    }

    /// How long a job ran, from its first attempt's claim to its last event: what it waited in between counts, too.
    private static double secondsSince(JobState job, long fromMillis, long nowMillis) {
        long start = job.startMillis();
        long end = job.status() == Status.RUNNING ? nowMillis : job.lastHeardMillis();
        return start == 0 ? 0 : Math.max(0, end - Math.max(start, fromMillis)) / 1000.0;
    }
}
