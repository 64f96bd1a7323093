package io.trainyard.dashboard;

import jakarta.inject.Singleton;

/// Looks ahead now and then: what lies before the jobs that wait changes all the time.
@Singleton
class Outlooks {
    /// Of all the time at most one part of so many goes into looking ahead.
    private static final int SHARE = 5;

    private final JobHistory history;
    private final ProjectQuotas quotas;
    private long nextNanos = System.nanoTime();

    Outlooks(JobHistory history, ProjectQuotas quotas) {
        this.history = history;
        this.quotas = quotas;
    }

    /// By one thread.
    void look() {
        long beganNanos = System.nanoTime();
        if (beganNanos - nextNanos < 0) {
            return;
        }
        history.lookAhead(quotas.rules());
        long tookNanos = System.nanoTime() - beganNanos;
        nextNanos = beganNanos + SHARE * tookNanos;
    }
}
