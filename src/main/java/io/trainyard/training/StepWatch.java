package io.trainyard.training;

import java.time.Duration;

/// How long the next piece of work may take before it counts as hung. Native code cannot be interrupted: all that
/// helps then is to give up the process, so the bound is far from what is usual.
final class StepWatch {
    /// A bound for what nothing is known of: the first steps, which compile, opening a device, a slow store.
    static final Duration UNKNOWN = Duration.ofHours(1);

    /// Shorter ones are not worth a process: a machine may pause that long.
    static final Duration LEAST = Duration.ofSeconds(60);

    private final int factor;
    private long slowestBlockMicros;
    private double slowestStepMicros;

    /// @param factor how many times as long as the slowest so far
    StepWatch(int factor) {
        this.factor = factor;
    }

    /// Takes in how long a block of `steps` steps took.
    void took(int steps, long micros) {
        slowestBlockMicros = Math.max(slowestBlockMicros, micros);
        slowestStepMicros = Math.max(slowestStepMicros, micros / (double) steps);
    }

    /// The bound of a block of so many steps, or of a test of as many batches, which are less work.
    Duration limit(int steps) {
        if (slowestStepMicros == 0) {
            return UNKNOWN;
        }
        double micros = factor * Math.max(slowestBlockMicros, steps * slowestStepMicros);
        Duration limit = Duration.ofMillis((long) (micros / 1000));
        return limit.compareTo(LEAST) < 0 ? LEAST : limit;
    }
}
