package io.trainyard.share;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// How the projects of a fleet share it.
///
/// @param window how long what a project has used counts: what is so old counts a third of what is new
/// @param others the rule of each project that is not named
/// @param named by their names, in alphabetical order
public record ProjectRules(Duration window, ProjectRule others, Map<String, ProjectRule> named) {
    static final Duration DEFAULT_WINDOW = Duration.ofHours(1);

    /// No file: whoever comes first is served first.
    public static final ProjectRules NONE = new ProjectRules(DEFAULT_WINDOW, ProjectRule.PLAIN, Map.of());

    public ProjectRules {
        named = new TreeMap<>(named);
    }

    /// Whether nothing is to be shared: there is no file.
    public boolean isNone() {
        return equals(NONE);
    }

    public ProjectRule of(String project) {
        return named.getOrDefault(project, others);
    }

    public int mostRunning(String project) {
        return Objects.requireNonNullElse(of(project).running(), Integer.MAX_VALUE);
    }

    /// What to answer where so many more jobs of a project cannot wait.
    ///
    /// @param waiting jobs of the project that wait
    /// @param more that would wait, too
    /// @return null where they can
    public @Nullable String refusal(String project, long waiting, long more) {
        Integer most = of(project).waiting();
        return most == null || waiting + more <= most
                ? null
                : "project %s has %,d %s waiting, and with %,d more it would have %,d; allowed is up to %,d. Wait until some have begun, or cancel some"
                        .formatted(project, waiting, waiting == 1 ? "job" : "jobs", more, waiting + more, most);
    }
}
