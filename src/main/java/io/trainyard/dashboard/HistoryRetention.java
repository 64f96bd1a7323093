package io.trainyard.dashboard;

import io.trainyard.tracking.TrackingException;
import io.trainyard.tracking.TrackingStore;
import jakarta.inject.Singleton;
import java.util.List;
import org.jboss.logging.Logger;

/// Deletes old jobs, a few at a time because new records wait for each transaction.
@Singleton
class HistoryRetention {
    private static final Logger LOG = Logger.getLogger(HistoryRetention.class);
    private static final int AT_ONCE = 50;

    private final TrackingStore store;
    private final JobHistory history;
    private final DashboardConfig config;

    HistoryRetention(TrackingStore store, JobHistory history, DashboardConfig config) {
        this.store = store;
        this.history = history;
        this.config = config;
    }

    /// Deletes the jobs that are due.
    ///
    /// @return the number of deleted jobs
    int forget(long nowMillis) {
        long before = config.keepFor().map(time -> nowMillis - time.toMillis()).orElse(Long.MIN_VALUE);
        int all = 0;
        try {
            while (true) {
                List<String> forgotten = store.forget(before, config.keepJobs(), AT_ONCE);
                history.forget(forgotten);
                all += forgotten.size();
                if (forgotten.size() < AT_ONCE) {
                    break;
                }
            }
            int controls = store.forgetUnreadControls();
            if (controls > 0) {
                LOG.warnf("removed %d control requests for jobs without a command", controls);
            }
        } catch (TrackingException e) {
            LOG.warnf("jobs that are too old or too many are not forgotten yet: %s", e.getMessage());
        }
        if (all > 0) {
            LOG.infof("forgot %d jobs that have ended (trainyard.dashboard.keep-jobs, .keep-for)", all);
        }
        return all;
    }
}
