package io.trainyard.cli.watch;

import io.trainyard.forecast.StartForecast;
import io.trainyard.forecast.StartForecast.Start;
import java.util.Locale;

public final class ForecastText {
    private ForecastText() {}

    /// `in 3 min (90 %: 1 min to 8 min)`.
    public static String of(Start start) {
        return "in %s (90 %%: %s to %s)"
                .formatted(
                        span(start, start.medianMillis()),
                        span(start, start.lowMillis()),
                        span(start, start.highMillis()));
    }

    /// For a column: `3 min (1 min to 8 min)`.
    static String brief(Start start) {
        return of(start).replaceFirst("in (.*)90 %: ", "$1");
    }

    /// How long it is until then, with two figures or so.
    private static String span(Start start, long untilMillis) {
        long millis = untilMillis - start.nowMillis();
        double seconds = millis / 1e3;
        if (millis >= StartForecast.FAR_MILLIS) {
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
