package io.trainyard.custody;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The jobs for which a worker lacked something lately. It leaves them to others without beginning another attempt:
/// these are counted, and what it lacked it hardly has a minute later. After a while it tries again.
public final class RecentRefusals {
    /// Jobs that are remembered; past it the oldest is forgotten.
    private static final int MAX_JOBS = 1000;

    private final long memoryNanos;
    private final Map<String, Noted> jobs = new LinkedHashMap<>(); // the oldest first

    private record Noted(String reason, long nanos) {}

    /// @param memory how long a job is left to others
    public RecentRefusals(Duration memory) {
        memoryNanos = memory.toNanos();
    }

    /// The worker could not run a job.
    ///
    /// @param reason what it lacks, in words
    public void note(String job, String reason, long nowNanos) {
        jobs.remove(job);
        jobs.put(job, new Noted(reason, nowNanos));
        if (jobs.size() > MAX_JOBS) {
            jobs.remove(jobs.keySet().iterator().next());
        }
    }

    /// What the worker lacks for a job; empty where it has not tried lately.
    public Optional<String> reason(String job, long nowNanos) {
        jobs.values().removeIf(noted -> nowNanos - noted.nanos() > memoryNanos);
        return Optional.ofNullable(jobs.get(job)).map(Noted::reason);
    }
}
