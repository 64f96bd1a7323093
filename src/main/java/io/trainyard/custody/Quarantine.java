package io.trainyard.custody;

import java.time.Duration;

/// How long a worker that could not run a job takes none: longer each time, until it has run one. So it does not
/// eat the queue.
public final class Quarantine {
    private final Duration first;
    private final Duration most;
    private int faults;
    private String reason = "";
    private Duration due = Duration.ZERO;

    /// @param first the pause after one fault
    /// @param most the longest
    public Quarantine(Duration first, Duration most) {
        this.first = first;
        this.most = most;
    }

    /// The worker could not run a job.
    ///
    /// @param why in words
    public void fault(String why) {
        reason = why;
        Duration next = first.multipliedBy(1L << Math.min(faults++, Short.SIZE));
        due = next.compareTo(most) > 0 ? most : next;
    }

    /// The worker has run a job.
    public void healed() {
        faults = 0;
        reason = "";
        due = Duration.ZERO;
    }

    /// Faults in a row.
    public int faults() {
        return faults;
    }

    /// What was wrong the last time; empty: nothing.
    public String reason() {
        return reason;
    }

    /// The pause that the newest fault asks for, once; then zero.
    public Duration pause() {
        Duration pause = due;
        due = Duration.ZERO;
        return pause;
    }
}
