package io.trainyard.history;

import io.trainyard.event.JobNews;
import io.trainyard.event.JobNews.Happened;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Takes all news of a fleet, and says what cannot have happened if the fleet keeps its promises: each job ends
/// once, each step of a finished job is told once, with the same bits whoever trained it, each epoch is tested
/// once, an attempt is silent after its end, two attempts are at work together for a short time at most, and no job is
/// lost.
///
/// The news may come in any order between topics. Memory is bounded: past [#MAX_JOBS] jobs or [#MAX_STEPS] losses
/// it says what it leaves out. Not thread-safe.
public final class HistoryChecker {
    /// How many jobs are looked at: those that are heard of first.
    public static final int MAX_JOBS = 10_000;

    /// How many losses are kept of all attempts together, in 4 bytes each.
    public static final int MAX_STEPS = 16_000_000;

    /// How long an attempt may go on after the next one was claimed: until its worker learns that it has lost the
    /// job.
    public static final Duration LEASE = Duration.ofSeconds(20);

    private final Duration maxOverlap;
    private final boolean complete;
    private final Map<String, JobCheck> jobs = new TreeMap<>();
    private long steps;
    private boolean tooManyJobs;
    private boolean lostAreKnown;

    /// @param maxOverlap see [#LEASE]; by the clocks of both workers
    /// @param complete whether a job that has not ended is wrong
    public HistoryChecker(Duration maxOverlap, boolean complete) {
        this.maxOverlap = maxOverlap;
        this.complete = complete;
    }

    /// What was found, in sentences that begin with the job.
    ///
    /// @param wrong what cannot be if the fleet keeps its promises
    /// @param remarks what is not known, or not over
    public record Report(List<String> wrong, List<String> remarks) {}

    /// Takes in one piece of news.
    public void take(JobNews news) {
        if (jobs.size() >= MAX_JOBS && !jobs.containsKey(news.job())) {
            tooManyJobs = true;
            return;
        }
        JobCheck job = jobs.computeIfAbsent(news.job(), JobCheck::new);
        if (news instanceof Happened happened && happened.event() instanceof StepLosses losses) {
            if (steps + losses.losses().length > MAX_STEPS) {
                job.leaveOutSteps();
                return;
            }
            steps += losses.losses().length;
        }
        job.take(news);
    }

    /// The command of a job waits in a topic, at or after the start of its share group.
    public void queued(String job) {
        findable(job);
    }

    /// The job has a record of ownership, or a deferred command.
    public void owned(String job) {
        findable(job);
    }

    private void findable(String job) {
        JobCheck known = jobs.get(job);
        if (known != null) {
            known.findable();
        }
    }

    /// Takes in how many attempts the store has of a job that has not ended.
    public void stored(String job, int attempts) {
        if (attempts > 0 && jobs.size() < MAX_JOBS) {
            jobs.computeIfAbsent(job, JobCheck::new).stored(attempts);
        }
    }

    /// All queues and all records of ownership were read: a job that has not ended and is in none of them is lost.
    public void lostAreKnown() {
        lostAreKnown = true;
    }

    /// The jobs that have not ended.
    public List<String> open() {
        return jobs.entrySet().stream()
                .filter(job -> !job.getValue().hasEnded())
                .map(Map.Entry::getKey)
                .toList();
    }

    /// How many jobs were heard of.
    public int jobs() {
        return jobs.size();
    }

    /// What is found so far.
    public Report report() {
        Report report = new Report(new ArrayList<>(), new ArrayList<>());
        jobs.values().forEach(job -> job.report(report, maxOverlap, complete, lostAreKnown));
        if (tooManyJobs) {
            report.remarks().add("there are more than %d jobs; the others are not checked".formatted(MAX_JOBS));
        }
        return report;
    }
}
