package io.trainyard.training;

import java.time.Duration;

/// How long the next piece of work may take before it counts as hung. Native code cannot be interrupted, so the
/// only remedy is to end the process, and the limit is far above the usual time.
final class HangLimit {
    /// The limit for work of unknown length: the first steps, which compile, opening a device, a slow store.
    static final Duration UNKNOWN = Duration.ofHours(1);

    /// The least limit: a machine may pause that long.
    static final Duration LEAST = Duration.ofSeconds(60);

    private final int factor;
    private long slowestBlockMicros;
    private double slowestStepMicros;

    /// @param factor the limit is this many times the slowest time so far
    HangLimit(int factor) {
        this.factor = factor;
    }

    /// Records how long a block of `steps` steps took.
    void took(int steps, long micros) {
        slowestBlockMicros = Math.max(slowestBlockMicros, micros);
        slowestStepMicros = Math.max(slowestStepMicros, micros / (double) steps);
    }

    /// The limit of a block of steps, or of a test of the same number of batches, which are less work.
    Duration limit(int steps) {
        if (slowestStepMicros == 0) {
            return UNKNOWN;
        }
        double micros = factor * Math.max(slowestBlockMicros, steps * slowestStepMicros);
        Duration limit = Duration.ofMillis((long) (micros / 1000));
        return limit.compareTo(LEAST) < 0 ? LEAST : limit;
    }
}
