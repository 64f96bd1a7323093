package io.trainyard.forecast;

import org.jspecify.annotations.Nullable;

/// What lies before a job that waits.
///
/// @param place 1: it is the next that a worker takes, of those that the workers it waits for would take; 0 of a job
///     that rests, and one that nobody would take
/// @param start when it begins; null where that is not known: nobody is there who would take it
public record Outlook(
        String job, int place, WaitReason reason, @Nullable StartEstimate start) {
    /// For people, after "waits: ".
    public String words() {
        return (place > 0 ? "place " + place + ", " : "")
                + reason.sentence()
                + (start == null ? "" : "; begins " + start.words());
    }
}
