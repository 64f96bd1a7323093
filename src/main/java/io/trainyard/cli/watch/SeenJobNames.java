package io.trainyard.cli.watch;

import io.trainyard.event.JobRecord;
import io.trainyard.spec.SimilarNames;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A bounded set of the names of known jobs, for suggestions after a misspelt name.
public final class SeenJobNames {
    private static final int MAX_NAMES = 10_000;
    private static final int MAX_SIMILAR = 5;

    private final Set<String> names = new LinkedHashSet<>();

    /// @param job null: no name was met
    public void add(@Nullable String job) {
        if (names.size() < MAX_NAMES && JobRecord.isId(job)) {
            names.add(job);
        }
    }

    /// The names like this one, the nearest first.
    public List<String> similarTo(String job) {
        return SimilarNames.of(job, names).stream().limit(MAX_SIMILAR).toList();
    }
}
