package io.trainyard.tracking;

import java.util.List;
import java.util.SequencedSet;
import java.util.TreeSet;

/// What people write beside a job.
///
/// @param tags sorted, none twice
/// @param note empty: none
public record Remarks(List<String> tags, String note) {
    public static final Remarks NONE = new Remarks(List.of(), "");

    public Remarks {
        SequencedSet<String> sorted = new TreeSet<>(tags);
        tags = List.copyOf(sorted);
    }
}
