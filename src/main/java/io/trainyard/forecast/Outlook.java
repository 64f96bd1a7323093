package io.trainyard.forecast;

import com.fasterxml.jackson.annotation.JsonIgnore;
import org.jspecify.annotations.Nullable;

/// What lies before a job that waits.
///
/// @param place 1: the next that its workers take; 0 of a job that rests, and of one that no worker would take
/// @param reason which kind of reason it waits for: `allBusy`
/// @param sentence the reason in words, after "waits: "
/// @param start when it begins; null where that is not known: nobody is there who would take it
public record Outlook(
        @JsonIgnore String job,
        int place,
        String reason,
        String sentence,
        @Nullable Start start) {
    public static final long FAR_MILLIS = 30L * 24 * 60 * 60 * 1000; // told of all that lies further ahead

    /// When a job is claimed, since 1970: in 90 of 100 cases between `lowMillis` and `highMillis`.
    ///
    /// @param nowMillis when it was estimated
    public record Start(
            long lowMillis,
            long medianMillis,
            long highMillis,
            @JsonIgnore long nowMillis) {}
}
