package io.trainyard.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// Decides whether a worker may claim commands: the brokers acknowledged a recent heartbeat, and the worker's
/// clock agrees with theirs. A worker that can fetch commands but not publish would use up their deliveries.
/// Thread-safe.
final class ClaimGate {
    /// A smaller change of the difference is not reported.
    private static final Duration NOTICEABLE = Duration.ofSeconds(10);

    private final Rules rules;
    private boolean acknowledged;
    private long acknowledgedNanos;
    private String refusal = "";
    private Duration skew = Duration.ZERO; // the broker's time minus this worker's
    private Duration reported = Duration.ZERO;

    /// @param fresh how long an acknowledged heartbeat counts, from the time it was sent
    /// @param maxSkew the largest allowed difference between this worker's clock and the brokers'
    record Rules(Duration fresh, Duration maxSkew) {
        /// Heartbeats that may be missing.
        private static final int FRESH_BEATS = 4;

        private static final Duration MIN_FRESH = Duration.ofSeconds(4);

        static Rules of(Duration heartbeat, Duration maxSkew) {
            Duration beats = heartbeat.multipliedBy(FRESH_BEATS);
            return new Rules(beats.compareTo(MIN_FRESH) < 0 ? MIN_FRESH : beats, maxSkew);
        }
    }

    ClaimGate(Rules rules) {
        this.rules = rules;
    }

    /// The brokers acknowledged a heartbeat.
    ///
    /// @param sentNanos when it was sent, by this process's monotonic clock
    synchronized void acknowledged(long sentNanos) {
        acknowledged = true;
        acknowledgedNanos = sentNanos;
        refusal = "";
    }

    synchronized void refused(String reason) {
        acknowledged = false;
        refusal = reason;
    }

    /// One of this worker's heartbeats was read back. The true difference lies between the broker's time minus
    /// the sending time and the broker's time minus the reading time. The value nearer to zero counts, because
    /// a heartbeat may be in flight for long.
    synchronized void timed(Instant sent, Instant appended, Instant read) {
        Duration most = Duration.between(sent, appended);
        Duration least = Duration.between(read, appended);
        skew = !least.isNegative() ? least : most.isNegative() ? most : Duration.ZERO;
        if (skew.minus(reported).abs().compareTo(NOTICEABLE) >= 0 || isSkewed(skew) != isSkewed(reported)) {
            reported = skew;
        }
    }

    private boolean isSkewed(Duration difference) {
        return difference.abs().compareTo(rules.maxSkew()) > 0;
    }

    /// The broker's time minus this worker's, if known; else zero.
    synchronized Duration skew() {
        return skew;
    }

    synchronized Optional<String> objection(long nowNanos) {
        if (isSkewed(reported)) {
            return Optional.of(
                    "its clock is %d s %s the brokers' clock; allowed is a difference of %d s (TRAINYARD_WORKER_MAX_CLOCK_SKEW). Set the clock of this machine, or of the brokers'"
                            .formatted(
                                    reported.abs().toSeconds(),
                                    reported.isNegative() ? "ahead of" : "behind",
                                    rules.maxSkew().toSeconds()));
        }
        if (!refusal.isEmpty()) {
            return Optional.of("the brokers refuse its heartbeats: " + refusal);
        }
        return acknowledged && nowNanos - acknowledgedNanos <= rules.fresh().toNanos()
                ? Optional.empty()
                : Optional.of("the brokers have acknowledged none of its heartbeats for %d s"
                        .formatted(rules.fresh().toSeconds()));
    }
}
