package io.trainyard.dashboard;

import jakarta.inject.Singleton;

/// Computes the forecast periodically, because the state of the fleet changes all the time.
@Singleton
class ForecastUpdates {
    /// The forecast may use one fifth of the time.
    private static final int SHARE = 5;

    private final JobHistory history;
    private final ProjectQuotas quotas;
    private long nextNanos = System.nanoTime();

    ForecastUpdates(JobHistory history, ProjectQuotas quotas) {
        this.history = history;
        this.quotas = quotas;
    }

    /// Called by one thread.
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
