package io.trainyard.forecast;

import org.jspecify.annotations.Nullable;

/// What lies before a job that waits, as programs are told it.
///
/// @param place 1: it is the next; 0 of a job that rests
/// @param reason which kind of reason it is: `allBusy`
/// @param sentence the reason in words, after "waits: "
/// @param start when it begins; null where that is not known
public record OutlookView(
        int place, String reason, String sentence, @Nullable Start start) {
    /// Since 1970, in milliseconds: in 90 of 100 cases between low and high.
    public record Start(long lowMillis, long medianMillis, long highMillis) {}

    /// @param atMillis when it was estimated, since 1970
    public static OutlookView of(Outlook outlook, long atMillis) {
        StartEstimate start = outlook.start();
        return new OutlookView(
                outlook.place(),
                outlook.reason().word(),
                outlook.reason().sentence(),
                start == null
                        ? null
                        : new Start(
                                atMillis + start.lowMillis(),
                                atMillis + start.medianMillis(),
                                atMillis + start.highMillis()));
    }
}
