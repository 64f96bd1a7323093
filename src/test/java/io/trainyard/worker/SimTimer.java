package io.trainyard.worker;

/// Something that a [SimWorld] does at a time. Those of the same time come in the order in which they were made.
final class SimTimer implements Comparable<SimTimer> {
    private final long atNanos;
    private final long number;
    private final Runnable action;
    private boolean cancelled;

    SimTimer(long atNanos, long number, Runnable action) {
        this.atNanos = atNanos;
        this.number = number;
        this.action = action;
    }

    long atNanos() {
        return atNanos;
    }

    void run() {
        action.run();
    }

    void cancel() {
        cancelled = true;
    }

    boolean isCancelled() {
        return cancelled;
    }

    @Override
    public int compareTo(SimTimer other) {
        int byTime = Long.compare(atNanos, other.atNanos);
        return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
}
