package io.trainyard.forecast;

import com.fasterxml.jackson.annotation.JsonIgnore;
import org.jspecify.annotations.Nullable;

/// The forecast of a waiting job.
///
/// @param place the position among the jobs of its workers, from 1; 0 if it is paused or no worker can run it
/// @param reason the category of the reason, for example `allBusy`
/// @param sentence the reason in words, to follow "waits: "
/// @param start null if unknown because no live worker can run it
public record StartForecast(
        @JsonIgnore String job,
        int place,
        String reason,
        String sentence,
        @Nullable Start start) {
    public static final long FAR_MILLIS = 30L * 24 * 60 * 60 * 1000; // later times are shown as this

    /// When a job will be claimed, Unix time in ms, with a 90 % interval from `lowMillis` to `highMillis`.
    ///
    /// @param nowMillis when it was estimated
    public record Start(
            long lowMillis,
            long medianMillis,
            long highMillis,
            @JsonIgnore long nowMillis) {}
}
