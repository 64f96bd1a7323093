package io.trainyard.dashboard;

import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/// The one history of this process, with the limits of its configuration.
class HistoryProducer {
    @Produces
    @Singleton
    JobHistory history(DashboardConfig config) {
        return new JobHistory(new JobHistory.Limits(
                config.maxJobs(),
                config.curveBuckets(),
                config.maxWorkers(),
                config.workerGoneAfter().toMillis(),
                config.workerForgottenAfter().toMillis()));
    }
}
