package io.trainyard.share;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A project in the table of projects: its rules and its use.
///
/// @param share its fair share among projects with jobs; null if it has no jobs
/// @param had its part of the device time in the last window; null if no device was used
public record ProjectRow(
        String project,
        ProjectRule rule,
        @Nullable Double share,
        @Nullable Double had,
        double deviceSeconds,
        long running,
        long waiting) {
    /// The projects of the file and those that jobs name, in alphabetical order.
    public static List<ProjectRow> of(ProjectRules rules, Map<String, ProjectUse> uses) {
        Map<String, ProjectUse> all = new TreeMap<>(uses);
        rules.named().keySet().forEach(project -> all.putIfAbsent(project, ProjectUse.NONE));
        double weights = all.entrySet().stream()
                .filter(project -> project.getValue().isBusy())
                .mapToDouble(project -> rules.of(project.getKey()).weight())
                .sum();
        double seconds =
                all.values().stream().mapToDouble(ProjectUse::deviceSeconds).sum();
        List<ProjectRow> rows = new ArrayList<>();
        all.forEach((project, use) -> rows.add(new ProjectRow(
                project,
                rules.of(project),
                use.isBusy() ? rules.of(project).weight() / weights : null,
                seconds == 0 ? null : use.deviceSeconds() / seconds,
                use.deviceSeconds(),
                use.running(),
                use.waiting())));
        return rows;
    }
}
