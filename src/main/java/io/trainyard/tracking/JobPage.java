package io.trainyard.tracking;

import java.util.List;

/// Some of the jobs that a query asks for.
///
/// @param total how many there are
public record JobPage(List<JobSummary> jobs, long total) {
    public JobPage {
        jobs = List.copyOf(jobs);
    }
}
