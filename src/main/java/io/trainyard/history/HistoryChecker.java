package io.trainyard.history;

import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.TrainingEvent.StepLosses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Reads all records of a fleet and reports violated guarantees. Each job ends once. Each step of a finished
/// job is published once, with the same bits for every worker. Each epoch is tested once. An attempt publishes
/// nothing after its end. Two attempts overlap only for a short time. No job is lost.
///
/// Records of different topics may come in any order. Memory is bounded: above [#MAX_JOBS] jobs or [#MAX_STEPS]
/// losses, the report says what was not checked. Not thread-safe.
public final class HistoryChecker {
    /// The maximum number of checked jobs; the first ones are checked.
    public static final int MAX_JOBS = 10_000;

    /// The maximum number of losses of all attempts, 4 bytes each.
    public static final int MAX_STEPS = 16_000_000;

    /// How long an attempt may continue after the next one was claimed, until its worker notices that it is
    /// superseded.
    public static final Duration LEASE = Duration.ofSeconds(20);

    private final Duration maxOverlap;
    private final boolean complete;
    private final Map<String, JobCheck> jobs = new TreeMap<>();
    private long steps;
    private boolean tooManyJobs;
    private boolean lostAreKnown;

    /// @param maxOverlap see [#LEASE]; by the clocks of both workers
    /// @param complete whether an unfinished job is an error
    public HistoryChecker(Duration maxOverlap, boolean complete) {
        this.maxOverlap = maxOverlap;
        this.complete = complete;
    }

    /// The result, in sentences that begin with the job.
    ///
    /// @param wrong violated guarantees
    /// @param remarks unchecked or unfinished jobs
    public record Report(List<String> wrong, List<String> remarks) {}

    public void take(JobRecord record) {
        if (jobs.size() >= MAX_JOBS && !jobs.containsKey(record.job())) {
            tooManyJobs = true;
            return;
        }
        JobCheck job = jobs.computeIfAbsent(record.job(), JobCheck::new);
        if (record instanceof EventRecord event && event.event() instanceof StepLosses losses) {
            if (steps + losses.losses().length > MAX_STEPS) {
                job.leaveOutSteps();
                return;
            }
            steps += losses.losses().length;
        }
        job.take(record);
    }

    /// A command of the job waits on a topic or is deferred, or the job has a record of ownership.
    public void findable(String job) {
        JobCheck known = jobs.get(job);
        if (known != null) {
            known.findable();
        }
    }

    /// Adds the number of attempts in the store of an unfinished job.
    public void stored(String job, int attempts) {
        if (attempts > 0 && jobs.size() < MAX_JOBS) {
            jobs.computeIfAbsent(job, JobCheck::new).stored(attempts);
        }
    }

    /// All queues and ownership records were read. An unfinished job that is in none of them is lost.
    public void lostAreKnown() {
        lostAreKnown = true;
    }

    public List<String> open() {
        return jobs.entrySet().stream()
                .filter(job -> !job.getValue().hasEnded())
                .map(Map.Entry::getKey)
                .toList();
    }

    public int jobs() {
        return jobs.size();
    }

    public Report report() {
        Report report = new Report(new ArrayList<>(), new ArrayList<>());
        jobs.values().forEach(job -> job.report(report, maxOverlap, complete, lostAreKnown));
        if (tooManyJobs) {
            report.remarks().add("there are more than %d jobs; the others are not checked".formatted(MAX_JOBS));
        }
        return report;
    }
}
