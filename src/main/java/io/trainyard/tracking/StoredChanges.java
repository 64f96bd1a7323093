package io.trainyard.tracking;

import java.util.List;

/// The result of storing records.
///
/// @param changed the summaries of the changed jobs
/// @param transitions in the order of the records
public record StoredChanges(List<JobSummary> changed, List<Transition> transitions) {
    public StoredChanges {
        changed = List.copyOf(changed);
        transitions = List.copyOf(transitions);
    }
}
