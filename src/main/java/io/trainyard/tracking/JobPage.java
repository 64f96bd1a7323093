package io.trainyard.tracking;

import java.util.List;
import java.util.Map;

/// Some of the jobs that a query asks for.
///
/// @param tags by job, of those that have any
/// @param total how many there are
public record JobPage(List<JobSummary> jobs, Map<String, List<String>> tags, long total) {
    public JobPage {
        jobs = List.copyOf(jobs);
        tags = Map.copyOf(tags);
    }
}
