package io.trainyard.event;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The states of a fleet's jobs in bounded memory. The topics may be read concurrently and repeatedly with the
/// same result.
///
/// At the limit, the job with the oldest last record is evicted: first jobs that have ended or not begun, then
/// any job. Not thread-safe.
public final class JobStates {
    private static final Comparator<JobState> EVICTION_ORDER = Comparator.comparing(JobStates::isUnderWay)
            .thenComparingLong(JobState::lastRecordMillis)
            .thenComparing(JobState::job);

    private final int maxJobs;
    private final Consumer<String> onEvicted;
    private final Map<String, JobState> jobs = new LinkedHashMap<>();
    private final NavigableSet<JobState> byEviction = new TreeSet<>(EVICTION_ORDER);

    /// The last record times of evicted jobs. Older records may be read after the eviction and must not add
    /// these jobs again, without their end.
    private final Map<String, Long> evicted = new LinkedHashMap<>();

    /// @param maxJobs the maximum number of jobs in memory; the eviction of ten times as many is remembered
    /// @param onEvicted receives the id of each evicted job
    public JobStates(int maxJobs, Consumer<String> onEvicted) {
        this.maxJobs = maxJobs;
        this.onEvicted = onEvicted;
    }

    /// Applies a record.
    ///
    /// @return the state of its job; null if the job was evicted
    public @Nullable JobState take(JobRecord record) {
        String job = record.job();
        if (record.millis() <= evicted.getOrDefault(job, Long.MIN_VALUE)) {
            return null;
        }
        evicted.remove(job);
        JobState state = jobs.computeIfAbsent(job, JobState::new);
        byEviction.remove(state); // the order depends on fields that change now
        state.apply(record);
        byEviction.add(state);
        if (jobs.size() > maxJobs) {
            evictOne();
        }
        return jobs.get(job);
    }

    private static boolean isUnderWay(JobState state) {
        return state.attempt() > 0 && !state.status().isFinal();
    }

    private void evictOne() {
        JobState oldest = byEviction.removeFirst();
        jobs.remove(oldest.job());
        evicted.put(oldest.job(), oldest.lastRecordMillis());
        if (evicted.size() > 10 * maxJobs) {
            evicted.remove(evicted.keySet().iterator().next());
        }
        onEvicted.accept(oldest.job());
    }

    /// All jobs in the order in which they were first seen here.
    public Collection<JobState> jobs() {
        return Collections.unmodifiableCollection(jobs.values());
    }

    /// @return null if the job is unknown
    public @Nullable JobState find(String job) {
        return jobs.get(job);
    }
}
