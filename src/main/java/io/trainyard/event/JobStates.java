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
    private static final Comparator<JobState> LEAVING = Comparator.comparing(JobStates::isUnderWay)
            .thenComparingLong(JobState::lastHeardMillis)
            .thenComparing(JobState::job);

    private final int maxJobs;
    private final Consumer<String> onLeft;
    private final Map<String, JobState> jobs = new LinkedHashMap<>();
    private final NavigableSet<JobState> leaving = new TreeSet<>(LEAVING);

    /// The last record times of evicted jobs. Older records may be read after the eviction and must not add
    /// these jobs again, without their end.
    private final Map<String, Long> left = new LinkedHashMap<>();

    /// @param maxJobs the maximum number of jobs in memory; the eviction of ten times as many is remembered
    /// @param onLeft receives the id of each evicted job
    public JobStates(int maxJobs, Consumer<String> onLeft) {
        this.maxJobs = maxJobs;
        this.onLeft = onLeft;
    }

    /// Applies a record.
    ///
    /// @return the state of its job; null if the job was evicted
    public @Nullable JobState take(JobRecord news) {
        String job = news.job();
        if (news.millis() <= left.getOrDefault(job, Long.MIN_VALUE)) {
            return null;
        }
        left.remove(job);
        JobState state = jobs.computeIfAbsent(job, JobState::new);
        leaving.remove(state); // the order depends on fields that change now
        state.apply(news);
        leaving.add(state);
        if (jobs.size() > maxJobs) {
            dropOne();
        }
        return jobs.get(job);
    }

    private static boolean isUnderWay(JobState state) {
        return state.attempt() > 0 && !state.status().isFinal();
    }

    private void dropOne() {
        JobState quietest = leaving.removeFirst();
        jobs.remove(quietest.job());
        left.put(quietest.job(), quietest.lastHeardMillis());
        if (left.size() > 10 * maxJobs) {
            left.remove(left.keySet().iterator().next());
        }
        onLeft.accept(quietest.job());
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
