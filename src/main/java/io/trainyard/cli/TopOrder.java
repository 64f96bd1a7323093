package io.trainyard.cli;

import io.trainyard.event.JobState;
import java.util.Comparator;
import java.util.Objects;

/// The sort keys of running jobs. Jobs without a value come last.
enum TopOrder {
    JOB(Comparator.comparing(JobState::job)),
    START(Comparator.comparingLong(JobState::startMillis)),
    LOSS(Comparator.<JobState>comparingDouble(job -> Objects.requireNonNullElse(job.loss(), Float.NEGATIVE_INFINITY))
            .reversed()),
    SPEED(Comparator.comparingDouble(JobState::samplesPerSecond).reversed()),
    LEFT(Comparator.comparingLong(job -> job.remainingMicros() == 0 ? Long.MAX_VALUE : job.remainingMicros()));

    private final Comparator<JobState> comparator;

    TopOrder(Comparator<JobState> comparator) {
        this.comparator = comparator;
    }

    Comparator<JobState> comparator() {
        return comparator;
    }
}
