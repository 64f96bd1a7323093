package io.trainyard.dashboard;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.TrainingEvent.Claimed;
import io.trainyard.event.WorkerStatus;
import io.trainyard.kubernetes.ApiServer;
import io.trainyard.kubernetes.PodMarks;
import io.trainyard.kubernetes.Pods;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.stream.Collectors;

/// Marks the pods of workers by the state of the workers.
@Singleton
class PodWatch {
    private final JobHistory history;
    private final SourceStatus sources;
    private final Pods pods;
    private final PodMarks marks;

    @Inject
    PodWatch(JobHistory history, SourceStatus sources) {
        this(history, sources, ApiServer.connect());
    }

    PodWatch(JobHistory history, SourceStatus sources, Pods pods) {
        this.history = history;
        this.sources = sources;
        this.pods = pods;
        marks = new PodMarks(pods);
        history.onJobRecord(this::see);
    }

    private void see(Collection<JobRecord> jobRecords) {
        for (JobRecord one : jobRecords) {
            if (one instanceof EventRecord happened && happened.event() instanceof Claimed claimed) {
                marks.claimed(claimed.worker(), claimed.job(), happened.millis());
            }
        }
    }

    void look() {
        marks.look(
                history.workers(sources.knownMillis()).stream()
                        .filter(worker -> !worker.lost())
                        .map(worker -> new PodMarks.Worker(
                                worker.worker(),
                                worker.jobs().stream()
                                        .map(WorkerStatus.Job::job)
                                        .collect(Collectors.toSet()),
                                worker.problem() != null,
                                worker.lastSeenMillis()))
                        .toList(),
                System.currentTimeMillis());
        sources.podsUnmarked(marks.unmarked());
    }

    void close() {
        pods.close();
    }
}
