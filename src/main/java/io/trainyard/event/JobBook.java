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

/// Where the jobs of a fleet stand, in bounded memory. The topics may be read side by side, and more than once: the
/// outcome is the same.
///
/// Past the bound a job leaves: of those that have ended or not begun, or else of all, the one that was longest quiet.
/// Not thread-safe.
public final class JobBook {
    private static final Comparator<JobState> LEAVING = Comparator.comparing(JobBook::isUnderWay)
            .thenComparingLong(JobState::lastHeardMillis)
            .thenComparing(JobState::job);

    private final int maxJobs;
    private final Consumer<String> onLeft;
    private final Map<String, JobState> jobs = new LinkedHashMap<>();
    private final NavigableSet<JobState> leaving = new TreeSet<>(LEAVING);

    /// When jobs that have left were last heard of. The rest of their news may be read after they left, and must not
    /// bring them back as jobs without an end.
    private final Map<String, Long> left = new LinkedHashMap<>();

    /// @param maxJobs how many are kept; of ten times as many that have left it is remembered that they did
    /// @param onLeft called with the id of each job that leaves
    public JobBook(int maxJobs, Consumer<String> onLeft) {
        this.maxJobs = maxJobs;
        this.onLeft = onLeft;
    }

    /// Takes in one piece of news.
    ///
    /// @return the state of its job after it; null where the job has left
    public @Nullable JobState take(JobNews news) {
        String job = news.job();
        if (news.millis() <= left.getOrDefault(job, Long.MIN_VALUE)) {
            return null;
        }
        left.remove(job);
        JobState state = jobs.computeIfAbsent(job, JobState::new);
        leaving.remove(state); // its place depends on what is about to change
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

    /// All jobs, in the order they were first heard of here.
    public Collection<JobState> jobs() {
        return Collections.unmodifiableCollection(jobs.values());
    }

    /// @return null if nothing is known of it
    public @Nullable JobState find(String job) {
        return jobs.get(job);
    }
}
