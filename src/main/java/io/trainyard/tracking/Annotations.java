package io.trainyard.tracking;

import java.util.List;
import java.util.SequencedSet;
import java.util.TreeSet;

/// A user's annotations of a job.
///
/// @param tags sorted, without duplicates
/// @param note empty without a note
public record Annotations(List<String> tags, String note) {
    public static final Annotations NONE = new Annotations(List.of(), "");

    public Annotations {
        SequencedSet<String> sorted = new TreeSet<>(tags);
        tags = List.copyOf(sorted);
    }
}
