package io.trainyard.dashboard;

import io.trainyard.jobfile.ProjectFiles;
import io.trainyard.share.ProjectRow;
import io.trainyard.share.ProjectRules;
import io.trainyard.share.ProjectUse;
import io.trainyard.spec.JobSpec;
import io.trainyard.sweep.Trials;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/// The rules and the use of projects. The quota of waiting jobs is checked when jobs are submitted here.
/// Clients that write to the topics directly are not checked.
@Singleton
public class ProjectQuotas {
    private final ProjectRules rules;
    private final JobHistory history;

    /// @param file of projects; empty without a file
    @Inject
    ProjectQuotas(JobHistory history, @ConfigProperty(name = "trainyard.projects") Optional<Path> file) {
        this(history, ProjectFiles.read(file));
    }

    ProjectQuotas(JobHistory history, ProjectRules rules) {
        this.history = history;
        this.rules = rules;
    }

    ProjectRules rules() {
        return rules;
    }

    public List<ProjectRow> table() {
        return ProjectRow.of(rules, history.projects(rules.window()));
    }

    /// The window of the use in the table.
    public Duration window() {
        return rules.window();
    }

    /// Why jobs cannot be submitted, in a sentence; empty if they can. The waiting jobs are only counted if one
    /// of the projects has a quota.
    public Optional<String> refusal(Collection<JobSpec> jobs) {
        Map<String, Long> more = jobs.stream()
                .collect(Collectors.groupingBy(JobSpec::projectName, Collectors.summingLong(Trials::count)));
        more.keySet().removeIf(project -> rules.of(project).waiting() == null);
        if (more.isEmpty()) {
            return Optional.empty();
        }
        Map<String, ProjectUse> uses = history.projects(rules.window());
        return more.entrySet().stream()
                .map(its -> rules.refusal(
                        its.getKey(),
                        uses.getOrDefault(its.getKey(), ProjectUse.NONE).waiting(),
                        its.getValue()))
                .filter(Objects::nonNull)
                .findFirst();
    }
}
