package io.trainyard.forecast;

import java.util.Locale;

/// When a job is claimed, in milliseconds from now: in 90 of 100 cases between `lowMillis` and `highMillis`.
public record StartEstimate(long lowMillis, long medianMillis, long highMillis) {
    /// What lies further ahead is told as this: nothing is known of so late a time.
    public static final long FAR_MILLIS = 30L * 24 * 60 * 60 * 1000;

    /// For people: `in 3 min (90 %: 1 min to 8 min)`.
    public String words() {
        return "in %s (90 %%: %s to %s)".formatted(span(medianMillis), span(lowMillis), span(highMillis));
    }

    /// For a column: `3 min (1 min to 8 min)`.
    public String shortWords() {
        return "%s (%s to %s)".formatted(span(medianMillis), span(lowMillis), span(highMillis));
    }

    /// A length of time with two figures or so.
    private static String span(long millis) {
        double seconds = millis / 1e3;
        if (millis >= FAR_MILLIS) {
            return "30 days or more";
        } else if (seconds < 99.5) {
            return seconds < 0.95 ? "0 s" : Math.round(seconds) + " s";
        } else if (seconds < 99.5 * 60) {
            return Math.round(seconds / 60) + " min";
        } else if (seconds < 48 * 3600) {
            return seconds < 9.95 * 3600
                    ? String.format(Locale.ROOT, "%.1f h", seconds / 3600)
                    : Math.round(seconds / 3600) + " h";
        }
        return Math.round(seconds / 86_400) + " days";
    }
}
