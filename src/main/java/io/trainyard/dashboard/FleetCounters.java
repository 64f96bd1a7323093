package io.trainyard.dashboard;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.trainyard.event.FailureCause;
import io.trainyard.event.JobRecord;
import io.trainyard.event.JobRecord.EventRecord;
import io.trainyard.event.TrainingEvent.Failed;
import io.trainyard.event.TrainingEvent.Released;
import io.trainyard.event.TrainingEvent.StepLosses;
import io.trainyard.metrics.FirstSteps;
import io.trainyard.metrics.Label;
import io.trainyard.metrics.Meters;
import io.trainyard.metrics.Metric;
import io.trainyard.tracking.Transition;
import jakarta.inject.Singleton;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Prometheus counters of events in the fleet. All counters start at 0 with the process. Events from a time
/// without the dashboard are counted once when it reads them, because it continues at the offsets in the store.
/// Used by the reader thread.
@Singleton
class FleetCounters {
    private final Counter finished;
    private final Counter cancelled;
    private final Map<String, Counter> failed;
    private final Map<String, Counter> attempts;
    private final Counter preemptions;
    private final Counter deadLetters;
    private final Counter recordsSkipped;
    private final Counter checkpointFailures;
    private final DistributionSummary firstStepSeconds;
    private final DistributionSummary eventSeconds;
    private final FirstSteps firstSteps = new FirstSteps();
    private final long startMillis = System.currentTimeMillis();

    FleetCounters(MeterRegistry registry) {
        Meters meters = new Meters(registry);
        finished = meters.counter(Metric.JOBS_FINISHED_TOTAL);
        cancelled = meters.counter(Metric.JOBS_CANCELLED_TOTAL);
        failed = counters(meters, Metric.JOBS_FAILED_TOTAL, Label.CAUSE);
        attempts = counters(meters, Metric.ATTEMPTS_TOTAL, Label.AFTER);
        preemptions = meters.counter(Metric.PREEMPTIONS_TOTAL);
        deadLetters = meters.counter(Metric.DEAD_LETTERS_TOTAL);
        recordsSkipped = meters.counter(Metric.RECORDS_SKIPPED_TOTAL);
        checkpointFailures = meters.counter(Metric.CHECKPOINT_FAILURES_TOTAL);
        firstStepSeconds = meters.histogram(Metric.CLAIM_TO_FIRST_STEP_SECONDS);
        eventSeconds = meters.histogram(Metric.STEP_TO_EVENT_SECONDS);
    }

    private static Map<String, Counter> counters(Meters meters, Metric metric, Label label) {
        return label.allowed().stream()
                .collect(Collectors.toMap(Function.identity(), value -> meters.counter(metric, value)));
    }

    void taken(List<JobRecord> jobRecords, List<Transition> transitions, int refused) {
        transitions.forEach(this::count);
        deadLetters.increment(refused);
        measure(jobRecords);
    }

    private void count(Transition transition) {
        if (transition.isNewAttempt()) {
            counter(attempts, after(transition)).increment();
        }
        if (transition.after() != transition.before()) {
            switch (transition.after()) {
                case FINISHED -> finished.increment();
                case CANCELLED -> cancelled.increment();
                case FAILED -> counter(failed, cause(transition.jobRecord())).increment();
                case QUEUED -> {
                    if (isPreempted(transition.jobRecord())) {
                        preemptions.increment();
                    }
                }
                case RUNNING, PAUSED -> {} // gauges
                case REJECTED, EXPANDED -> {} // counted by their dead letters and trials
            }
        }
    }

    private static boolean isPreempted(JobRecord jobRecord) {
        return jobRecord instanceof EventRecord happened
                && happened.event() instanceof Released released
                && released.preemptedBy() != null;
    }

    private static String after(Transition transition) {
        return switch (transition.before()) {
            case RUNNING -> "loss";
            case PAUSED -> "pause";
            case QUEUED ->
                transition.reasonBefore() != null ? "release" : transition.attemptBefore() > 0 ? "pause" : "command";
            case FINISHED, FAILED, CANCELLED, REJECTED, EXPANDED -> "command";
        };
    }

    private static String cause(JobRecord jobRecord) {
        String word = jobRecord instanceof EventRecord happened && happened.event() instanceof Failed event
                ? event.cause()
                : null;
        return FailureCause.of(word).word();
    }

    private static Counter counter(Map<String, Counter> counters, String value) {
        Counter counter = counters.get(value);
        if (counter == null) {
            throw new IllegalStateException("no label has the value " + value);
        }
        return counter;
    }

    /// Measures only events since the process started. Older ones would show how long the dashboard was
    /// stopped.
    private void measure(List<JobRecord> jobRecords) {
        long now = System.currentTimeMillis();
        jobRecords.stream()
                .filter(one -> one.millis() >= startMillis && one instanceof EventRecord)
                .map(EventRecord.class::cast)
                .sorted(Comparator.comparingLong(EventRecord::millis)) // topics are read concurrently
                .forEach(one -> {
                    firstSteps.see(one.event(), one.millis()).ifPresent(firstStepSeconds::record);
                    if (one.event() instanceof StepLosses) {
                        eventSeconds.record(Math.max(0, now - one.millis()) / 1e3);
                    }
                });
    }

    void skipped(long records) {
        recordsSkipped.increment((double) records);
    }

    /// Counts checkpoints that a worker could not write.
    ///
    /// @param sentMillis time of the heartbeat, Unix time in ms; older heartbeats are read again at each start
    void checkpointsFailed(int checkpoints, long sentMillis) {
        if (sentMillis >= startMillis) {
            checkpointFailures.increment(checkpoints);
        }
    }
}
