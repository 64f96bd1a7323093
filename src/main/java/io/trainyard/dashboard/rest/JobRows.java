package io.trainyard.dashboard.rest;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.dashboard.JobHistory;
import io.trainyard.forecast.StartForecast;
import io.trainyard.tracking.JobPage;
import io.trainyard.tracking.JobSummary;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A page of jobs.
///
/// @param total how many there are on all pages
/// @param fields all fields of the commands on this page; empty where no values were asked for
record JobRows(List<Row> jobs, long total, Set<String> fields) {
    /// A job.
    ///
    /// @param values of the fields that were asked for
    /// @param waiting why it waits, in words; null: it does not
    /// @param forecast what lies before it, and when it begins; null where it does not wait, or has only just come
    record Row(
            @JsonUnwrapped @JsonIgnoreProperties("facts") JobSummary job,
            List<String> tags,
            Map<String, JsonNode> values,
            @Nullable String waiting,
            @Nullable StartForecast forecast) {}

    static JobRows of(JobPage page, FieldValues values, JobHistory history) {
        return new JobRows(
                page.jobs().stream()
                        .map(job -> new Row(
                                job,
                                page.tags().getOrDefault(job.job(), List.of()),
                                values.of(job.job()),
                                history.waiting(job).orElse(null),
                                history.forecast(job)))
                        .toList(),
                page.total(),
                values.paths());
    }
}
