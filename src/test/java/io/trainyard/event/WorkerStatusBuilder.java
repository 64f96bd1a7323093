package io.trainyard.event;

import io.trainyard.event.WorkerStatus.Fetching;
import io.trainyard.event.WorkerStatus.Job;
import io.trainyard.event.WorkerStatus.Reading;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Builds heartbeats for tests. By default the worker is idle and has one slot.
public final class WorkerStatusBuilder {
    private final String worker;
    private final String device;
    private @Nullable String job;
    private int attempt;
    private @Nullable List<Job> jobs;
    private double samplesPerSecond;
    private long memoryBytes = 1;
    private int checkpointFailures;
    private boolean stopping;
    private @Nullable String store;
    private @Nullable Instant since;
    private @Nullable String problem;
    private @Nullable Fetching fetching;
    private String version = "1.0";
    private int schemaVersion = 1;
    private @Nullable List<Reading> readings;
    private int slots = 1;
    private @Nullable Map<String, Double> used;

    private WorkerStatusBuilder(String worker, String device) {
        this.worker = worker;
        this.device = device;
    }

    public static WorkerStatusBuilder of(String worker, String device) {
        return new WorkerStatusBuilder(worker, device);
    }

    /// @param id the worker's only job; null if idle
    public WorkerStatusBuilder job(@Nullable String id, int number) {
        job = id;
        attempt = number;
        return this;
    }

    public WorkerStatusBuilder jobs(List<Job> all) {
        jobs = all;
        return this;
    }

    public WorkerStatusBuilder samplesPerSecond(double rate) {
        samplesPerSecond = rate;
        return this;
    }

    public WorkerStatusBuilder memoryBytes(long bytes) {
        memoryBytes = bytes;
        return this;
    }

    public WorkerStatusBuilder checkpointFailures(int failures) {
        checkpointFailures = failures;
        return this;
    }

    public WorkerStatusBuilder stopping(boolean is) {
        stopping = is;
        return this;
    }

    public WorkerStatusBuilder store(@Nullable String identity) {
        store = identity;
        return this;
    }

    public WorkerStatusBuilder since(@Nullable Instant time) {
        since = time;
        return this;
    }

    public WorkerStatusBuilder problem(@Nullable String reason) {
        problem = reason;
        return this;
    }

    public WorkerStatusBuilder fetching(@Nullable Fetching now) {
        fetching = now;
        return this;
    }

    public WorkerStatusBuilder version(String number) {
        version = number;
        return this;
    }

    public WorkerStatusBuilder schemaVersion(int number) {
        schemaVersion = number;
        return this;
    }

    public WorkerStatusBuilder readings(@Nullable List<Reading> now) {
        readings = now;
        return this;
    }

    public WorkerStatusBuilder slots(int number) {
        slots = number;
        return this;
    }

    public WorkerStatusBuilder used(@Nullable Map<String, Double> byProject) {
        used = byProject;
        return this;
    }

    public WorkerStatus build() {
        List<Job> single = job == null ? List.of() : List.of(new Job(job, attempt, samplesPerSecond));
        return new WorkerStatus(
                worker,
                device,
                samplesPerSecond,
                memoryBytes,
                checkpointFailures,
                stopping,
                store,
                since,
                problem,
                fetching,
                version,
                schemaVersion,
                readings,
                slots,
                jobs == null ? single : jobs,
                used);
    }
}
