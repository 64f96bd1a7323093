package io.trainyard.data;

import java.util.List;
import java.util.SortedMap;
import java.util.stream.Collectors;

/// The files of one part of a dataset that cannot be read.
///
/// @param part its folder below the data root
/// @param of the number of all files
/// @param count the number of broken files
/// @param first the first broken files in sample order: name and reason
record BrokenFiles(String part, int of, int count, List<String> first) {
    private static final int MAX_LISTED = 5;

    BrokenFiles {
        first = List.copyOf(first);
    }

    /// @param broken name and reason by sample index
    static BrokenFiles of(String part, int files, SortedMap<Integer, String> broken) {
        return new BrokenFiles(
                part,
                files,
                broken.size(),
                broken.values().stream().limit(MAX_LISTED).toList());
    }

    String warning() {
        return sentence(count == 1 ? "is left out" : "are left out");
    }

    /// @param most the largest allowed share of broken files
    String refusal(double most) {
        return sentence("are more than the allowed share of %s".formatted(most))
                + ". Repair or remove them, or allow more with \"brokenShare\" in %s".formatted(DatasetManifest.FILE);
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
