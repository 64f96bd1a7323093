package io.trainyard.faults;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/// The names of the places where a worker can be struck, as `-Dkillpoint` knows them.
final class KillPoints {
    static final String POLLED = "polled";

    /// In the order in which a job passes them.
    static final List<String> ALL = List.of(
            POLLED,
            "attempt-created",
            "in-custody",
            "accepting",
            "accepted",
            "files-written",
            "manifest-written",
            "outcome-kept",
            "outcome-telling",
            "outcome-told");

    /// Those that are reached at each checkpoint.
    private static final List<String> OF_CHECKPOINTS = List.of("files-written", "manifest-written");

    private static final int CHECKPOINTS = 5;

    private KillPoints() {}

    /// All of them, or those that `-Dfaults.points` names, with commas between them.
    static Stream<String> chosen() {
        String named = System.getProperty("faults.points", "");
        List<String> chosen = named.isEmpty() ? ALL : List.of(named.split(","));
        if (!ALL.containsAll(chosen)) {
            throw new IllegalArgumentException("faults.points is \"%s\"; allowed are %s".formatted(named, ALL));
        }
        return chosen.stream();
    }

    /// What a victim is told: at a checkpoint's points, which of the first few.
    static String plan(String point, Random random) {
        return OF_CHECKPOINTS.contains(point) ? "%s#%d".formatted(point, 1 + random.nextInt(CHECKPOINTS)) : point;
    }
}
