package io.trainyard.ownership;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The jobs for which a worker recently had insufficient resources. It leaves them to others without a further
/// attempt, because attempts are counted and the situation hardly changes within a minute. After a while it
/// tries again.
public final class RecentRefusals {
    /// The most jobs that are kept; beyond it the oldest is dropped.
    private static final int MAX_JOBS = 1000;

    private final long memoryNanos;
    private final Map<String, Noted> jobs = new LinkedHashMap<>(); // the oldest first

    private record Noted(String reason, long nanos) {}

    public RecentRefusals(Duration memory) {
        memoryNanos = memory.toNanos();
    }

    /// The worker could not run a job.
    public void note(String job, String reason, long nowNanos) {
        jobs.remove(job);
        jobs.put(job, new Noted(reason, nowNanos));
        if (jobs.size() > MAX_JOBS) {
            jobs.remove(jobs.keySet().iterator().next());
        }
    }

    public Optional<String> reason(String job, long nowNanos) {
        jobs.values().removeIf(noted -> nowNanos - noted.nanos() > memoryNanos);
        return Optional.ofNullable(jobs.get(job)).map(Noted::reason);
    }
}
