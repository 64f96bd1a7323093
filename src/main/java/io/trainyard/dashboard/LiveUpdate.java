package io.trainyard.dashboard;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.trainyard.forecast.StartForecast;
import io.trainyard.tracking.JobSummary;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Changes since an earlier version.
///
/// @param version the version for the next request
/// @param snapshot true if `jobs` has all jobs, the newest first; false if it has only the changed ones
/// @param workers all workers; null if no worker changed
/// @param waiting why jobs wait, by the device kind that they request; null if no worker changed
/// @param forecasts forecasts of the jobs that are next, by job; null without a new forecast
/// @param sources the state of the brokers and the store
/// @param nowMillis the dashboard's clock, Unix time in ms; the browser's clock may differ
public record LiveUpdate(
        long version,
        boolean snapshot,
        @JsonIgnoreProperties("facts") List<JobSummary> jobs,
        @Nullable List<WorkerView> workers,
        @Nullable Map<String, String> waiting,
        @Nullable Map<String, StartForecast> forecasts,
        SourceStatus.State sources,
        long nowMillis) {

    @JsonIgnore
    public boolean isEmpty() {
        return !snapshot && jobs.isEmpty() && workers == null && forecasts == null;
    }
}
