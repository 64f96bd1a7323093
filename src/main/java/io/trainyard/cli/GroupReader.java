package io.trainyard.cli;

import io.trainyard.cli.watch.JobRecordReader;
import io.trainyard.event.JobState;
import io.trainyard.event.JobStates;
import io.trainyard.sweep.SweepView;
import io.trainyard.topics.Cluster;
import java.util.List;

final class GroupReader {
    static final int MAX_JOBS = 10_000;

    private GroupReader() {}

    /// @throws io.trainyard.topics.KafkaUnreachableException if the brokers do not answer
    static List<JobState> read(Cluster kafka, String group) {
        // Unreadable records are ignored here because the next reader reports them.
        return of(JobRecordReader.readAll(kafka, MAX_JOBS, _ -> {}), group);
    }

    static List<JobState> of(JobStates book, String group) {
        return book.jobs().stream().filter(job -> SweepView.has(group, job)).toList();
    }
}
