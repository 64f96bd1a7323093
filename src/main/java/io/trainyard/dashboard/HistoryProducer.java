package io.trainyard.dashboard;

import io.trainyard.tracking.TrackingStore;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/// Creates the history and the tracking store of this process from the configuration.
class HistoryProducer {
    @Produces
    @Singleton
    TrackingStore store(DashboardConfig config) {
        return TrackingStore.open(config.tracking());
    }

    void close(@Disposes TrackingStore store) {
        store.close();
    }

    @Produces
    @Singleton
    SourceStatus sources() {
        return new SourceStatus();
    }

    @Produces
    @Singleton
    JobHistory history(TrackingStore store, SourceStatus sources, DashboardConfig config) {
        return new JobHistory(
                store,
                sources,
                new JobHistory.Limits(
                        config.maxJobs(),
                        config.maxWorkers(),
                        config.workerLostAfter().toMillis(),
                        config.workerRemovedAfter().toMillis()));
    }
}
