package io.trainyard.dashboard;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.trainyard.forecast.Outlook;
import io.trainyard.tracking.JobSummary;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What changed on the dashboard since an earlier version.
///
/// @param version to ask with next time
/// @param snapshot true: `jobs` are all jobs, the newest first; false: only those that changed
/// @param workers all workers; null where none changed
/// @param waiting why jobs wait, by the kind of device that they want; null where no worker changed
/// @param outlooks what lies before those jobs that are next of all that wait, by job; null where nothing new is known
/// @param sources whether what this is made from is there
/// @param nowMillis the dashboard's clock, since 1970: the page's clock may be another
public record LiveUpdate(
        long version,
        boolean snapshot,
        @JsonIgnoreProperties("facts") List<JobSummary> jobs,
        @Nullable List<WorkerView> workers,
        @Nullable Map<String, String> waiting,
        @Nullable Map<String, Outlook> outlooks,
        Sources.State sources,
        long nowMillis) {

    @JsonIgnore
    public boolean isEmpty() {
        return !snapshot && jobs.isEmpty() && workers == null && outlooks == null;
    }
}
