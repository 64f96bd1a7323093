package io.trainyard.training;

import io.trainyard.spec.JobLimits;

/// What attempts are allowed.
///
/// @param maxAttempts attempts in a row that may break off while they train, without a new checkpoint, before their
///     job counts as the cause
/// @param hangFactor how many times as long as the slowest block of steps so far the next one may take before it
///     counts as hung
/// @param jobs what they may ask for
public record Limits(int maxAttempts, int hangFactor, JobLimits jobs) {
    public static final Limits DEFAULT = new Limits(5, 20, JobLimits.DEFAULT);

    public Limits {
        requireAtLeast1("maxAttempts", maxAttempts);
        requireAtLeast1("hangFactor", hangFactor);
    }

    private static void requireAtLeast1(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException("%s is %d; allowed is 1 or more".formatted(name, value));
        }
    }
}
