package io.trainyard.ownership;

import java.time.Duration;

/// How long a worker that failed to run a job claims none: longer after each failure, until it has run one.
/// This keeps it from draining the queue.
public final class Quarantine {
    private final Duration first;
    private final Duration most;
    private int faults;
    private String reason = "";
    private Duration due = Duration.ZERO;

    public Quarantine(Duration first, Duration most) {
        this.first = first;
        this.most = most;
    }

    /// The worker failed to run a job.
    public void fault(String why) {
        reason = why;
        Duration next = first.multipliedBy(1L << Math.min(faults++, Short.SIZE));
        due = next.compareTo(most) > 0 ? most : next;
    }

    public void healed() {
        faults = 0;
        reason = "";
        due = Duration.ZERO;
    }

    public int faults() {
        return faults;
    }

    /// The newest failure; empty if the last job ran.
    public String reason() {
        return reason;
    }

    /// The pause that the newest failure requires, once; then zero.
    public Duration pause() {
        Duration pause = due;
        due = Duration.ZERO;
        return pause;
    }
}
