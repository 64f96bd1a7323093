package io.trainyard.forecast;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// What lies before a job that waits.
///
/// @param place 1: it is the next that a worker takes, of those that the workers it waits for would take; 0 of a job
///     that rests, and one that nobody would take
/// @param reason which kind of reason it waits for: `allBusy`
/// @param sentence the reason in words, after "waits: "
/// @param start when it begins; null where that is not known: nobody is there who would take it
public record Outlook(
        @JsonIgnore String job,
        int place,
        String reason,
        String sentence,
        @Nullable Start start) {
    /// What lies further ahead is told as this: nothing is known of so late a time.
    static final long FAR_MILLIS = 30L * 24 * 60 * 60 * 1000;

    Outlook with(Start its) {
        return new Outlook(job, place, reason, sentence, its);
    }

    /// For people, after "waits: ".
    public String words() {
        return (place > 0 ? "place " + place + ", " : "")
                + sentence
                + (start == null ? "" : "; begins " + start.words());
    }

    /// When a job is claimed, since 1970: in 90 of 100 cases between `lowMillis` and `highMillis`.
    ///
    /// @param nowMillis when it was estimated
    public record Start(
            long lowMillis,
            long medianMillis,
            long highMillis,
            @JsonIgnore long nowMillis) {
        /// For people: `in 3 min (90 %: 1 min to 8 min)`.
        public String words() {
            return "in %s (90 %%: %s to %s)".formatted(span(medianMillis), span(lowMillis), span(highMillis));
        }

        /// For a column: `3 min (1 min to 8 min)`.
        public String shortWords() {
            return "%s (%s to %s)".formatted(span(medianMillis), span(lowMillis), span(highMillis));
        }

        /// How long it is until then, with two figures or so.
        private String span(long untilMillis) {
            double seconds = (untilMillis - nowMillis) / 1e3;
            if (seconds >= FAR_MILLIS / 1e3) {
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
}
