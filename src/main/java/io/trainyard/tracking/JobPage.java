package io.trainyard.tracking;

import java.util.List;
import java.util.Map;

/// One page of a query's result.
///
/// @param tags by job, for jobs that have tags
/// @param total the number of jobs that match the query
public record JobPage(List<JobSummary> jobs, Map<String, List<String>> tags, long total) {
    public JobPage {
        jobs = List.copyOf(jobs);
        tags = Map.copyOf(tags);
    }
}
