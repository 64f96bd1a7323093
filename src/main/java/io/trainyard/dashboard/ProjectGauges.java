package io.trainyard.dashboard;

import io.trainyard.metrics.Label;
import io.trainyard.metrics.Meters;
import io.trainyard.metrics.Metric;
import io.trainyard.share.ProjectRow;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// Prometheus gauges of projects: one series per project in the projects file and one for all others. Any
/// client can use new project names, so a series for each name could exceed Prometheus' capacity.
final class ProjectGauges {
    private final Set<String> named;
    private volatile List<ProjectRow> rows = List.of();

    ProjectGauges(Set<String> named) {
        this.named = named;
    }

    void take(List<ProjectRow> now) {
        rows = now;
    }

    void register(Meters meters) {
        named.forEach(project -> register(meters, project, project));
        register(meters, Label.OTHERS, null);
    }

    private void register(Meters meters, String label, @Nullable String project) {
        meters.gauge(Metric.PROJECT_SHARE_RATIO, () -> sum(project, row -> orZero(row.share())), label);
        meters.gauge(Metric.PROJECT_USED_RATIO, () -> sum(project, row -> orZero(row.had())), label);
        meters.gauge(Metric.PROJECT_JOBS_RUNNING, () -> sum(project, ProjectRow::running), label);
        meters.gauge(Metric.PROJECT_JOBS_WAITING, () -> sum(project, ProjectRow::waiting), label);
    }

    private static double orZero(@Nullable Double part) {
        return Objects.requireNonNullElse(part, 0.0);
    }

    /// @param project null for all projects that are not in the file
    private double sum(@Nullable String project, ToDoubleFunction<ProjectRow> what) {
        return rows.stream()
                .filter(row -> project == null
                        ? !named.contains(row.project())
                        : row.project().equals(project))
                .mapToDouble(what)
                .sum();
    }
}
