package io.trainyard.share;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// How the projects of a fleet share it.
///
/// @param window the decay time of past use: use of that age counts a third (1/e)
/// @param others the rule of each project without a name here
/// @param named by name, in alphabetical order
public record ProjectRules(Duration window, ProjectRule others, Map<String, ProjectRule> named) {
    static final Duration DEFAULT_WINDOW = Duration.ofHours(1);

    /// No file: jobs are served in order.
    public static final ProjectRules NONE = new ProjectRules(DEFAULT_WINDOW, ProjectRule.PLAIN, Map.of());

    public ProjectRules {
        named = new TreeMap<>(named);
    }

    public boolean isNone() {
        return equals(NONE);
    }

    public ProjectRule of(String project) {
        return named.getOrDefault(project, others);
    }

    public int mostRunning(String project) {
        return Objects.requireNonNullElse(of(project).running(), Integer.MAX_VALUE);
    }

    /// The error message if a project may not have this number of further waiting jobs.
    ///
    /// @return null if they may wait
    public @Nullable String refusal(String project, long waiting, long more) {
        Integer most = of(project).waiting();
        return most == null || waiting + more <= most
                ? null
                : "project %s has %,d %s waiting, and with %,d more it would have %,d; allowed is up to %,d. Wait until some have started, or cancel some"
                        .formatted(project, waiting, waiting == 1 ? "job" : "jobs", more, waiting + more, most);
    }
}
