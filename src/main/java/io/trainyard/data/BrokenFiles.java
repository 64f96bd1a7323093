package io.trainyard.data;

import java.util.List;
import java.util.SortedMap;
import java.util.stream.Collectors;

/// Files of one part of a set that cannot be read.
///
/// @param part what it is called: its folder below the data root
/// @param of how many files there are in all
/// @param count how many are broken
/// @param first the first of them, in the order of the samples: name, and why
record BrokenFiles(String part, int of, int count, List<String> first) {
    private static final int TOLD = 5;

    BrokenFiles {
        first = List.copyOf(first);
    }

    /// @param broken by the number of the sample: name, and why
    static BrokenFiles of(String part, int files, SortedMap<Integer, String> broken) {
        return new BrokenFiles(
                part, files, broken.size(), broken.values().stream().limit(TOLD).toList());
    }

    /// Where they are left out.
    String warning() {
        return sentence(count == 1 ? "is left out" : "are left out");
    }

    /// @param most the share that may be broken; more are
    String refusal(double most) {
        return sentence("are more than the share of %s that may be".formatted(most))
                + ". Mend or remove them, or allow more with \"brokenShare\" in %s".formatted(Manifest.FILE);
    }

    private String sentence(String consequence) {
        return "%d of %d files in %s cannot be read and %s: %s%s"
                .formatted(
                        count,
                        of,
                        part,
                        consequence,
                        first.stream().collect(Collectors.joining("; ")),
                        count > first.size() ? "; and %d more".formatted(count - first.size()) : "");
    }
}
