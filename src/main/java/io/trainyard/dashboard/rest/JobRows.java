package io.trainyard.dashboard.rest;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.trainyard.dashboard.JobHistory;
import io.trainyard.forecast.StartForecast;
import io.trainyard.tracking.JobPage;
import io.trainyard.tracking.JobSummary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A page of jobs.
///
/// @param total how many there are on all pages
record JobRows(List<Row> jobs, long total) {
    /// A job.
    ///
    /// @param waiting why it waits, in words; null: it does not
    /// @param forecast what lies before it, and when it begins; null where it does not wait, or has only just come
    record Row(
            @JsonUnwrapped @JsonIgnoreProperties("facts") JobSummary job,
            List<String> tags,
            @Nullable String waiting,
            @Nullable StartForecast forecast) {}

    static JobRows of(JobPage page, JobHistory history) {
        return new JobRows(
                page.jobs().stream()
                        .map(job -> new Row(
                                job,
                                page.tags().getOrDefault(job.job(), List.of()),
                                history.waiting(job).orElse(null),
                                history.forecast(job)))
                        .toList(),
                page.total());
    }
}
