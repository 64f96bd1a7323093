package io.trainyard.worker;

/// An action of a [SimWorld] at a certain time. Actions at the same time run in order of creation.
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
