package io.trainyard.training;

import io.trainyard.spec.JobLimits;

/// Limits of attempts.
///
/// @param maxAttempts attempts in a row that may end abnormally during training, without a new checkpoint,
///     before the job counts as the cause
/// @param hangFactor the next block of steps counts as hung if it takes this many times as long as the slowest
///     one so far
/// @param jobs limits of jobs
public record AttemptLimits(int maxAttempts, int hangFactor, JobLimits jobs) {
    public static final AttemptLimits DEFAULT = new AttemptLimits(5, 20, JobLimits.DEFAULT);

    public AttemptLimits {
        requireAtLeast1("maxAttempts", maxAttempts);
        requireAtLeast1("hangFactor", hangFactor);
    }

    private static void requireAtLeast1(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException("%s is %d; allowed is 1 or more".formatted(name, value));
        }
    }
}
