package io.trainyard.tracking;

import java.util.List;

/// What came of news.
///
/// @param changed the jobs that something is new of
/// @param transitions what became of them, in the order of the news
public record Taken(List<JobSummary> changed, List<Transition> transitions) {
    public Taken {
        changed = List.copyOf(changed);
        transitions = List.copyOf(transitions);
    }
}
