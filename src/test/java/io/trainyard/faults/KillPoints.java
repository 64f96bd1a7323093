package io.trainyard.faults;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/// The kill points of a worker, by their names in `-Dkillpoint`.
final class KillPoints {
    static final String POLLED = "polled";

    /// In the order in which a job reaches them.
    static final List<String> ALL = List.of(
            POLLED,
            "attempt-created",
            "ownership-published",
            "accepting",
            "accepted",
            "files-written",
            "manifest-written",
            "outcome-stored",
            "publishing-outcome",
            "outcome-published");

    /// Kill points at each checkpoint.
    private static final List<String> OF_CHECKPOINTS = List.of("files-written", "manifest-written");

    private static final int CHECKPOINTS = 5;

    private KillPoints() {}

    /// All kill points, or the comma-separated ones in `-Dfaults.points`.
    static Stream<String> chosen() {
        String named = System.getProperty("faults.points", "");
        List<String> chosen = named.isEmpty() ? ALL : List.of(named.split(","));
        if (!ALL.containsAll(chosen)) {
            throw new IllegalArgumentException("faults.points is \"%s\"; allowed are %s".formatted(named, ALL));
        }
        return chosen.stream();
    }

    /// The plan for a victim. At a checkpoint's kill points it selects one of the first few checkpoints.
    static String plan(String point, Random random) {
        return OF_CHECKPOINTS.contains(point) ? "%s#%d".formatted(point, 1 + random.nextInt(CHECKPOINTS)) : point;
    }
}
