package io.trainyard.dashboard.rest;

import io.smallrye.mutiny.Multi;
import io.trainyard.dashboard.JobHistory;
import io.trainyard.dashboard.LiveUpdate;
import io.trainyard.dashboard.SourceStatus;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The updates of one client of the live stream: a snapshot, then changes, at most once per period.
///
/// Nothing is queued: a tick is skipped while the client is still receiving, and the next update is computed
/// from the history afterwards. So a slow client receives the newest state less often.
final class LiveUpdates {
    private final JobHistory history;
    private final Duration keepAlive;
    private long sentVersion;
    private long sentAtNanos;
    private SourceStatus.@Nullable State sentSources;

    private LiveUpdates(JobHistory history, Duration keepAlive, long sentVersion) {
        this.history = history;
        this.keepAlive = keepAlive;
        this.sentVersion = sentVersion;
    }

    /// @param known the version that the client has; 0: none
    static Multi<LiveUpdate> of(JobHistory history, long known, Duration period, Duration keepAlive) {
        LiveUpdates client = new LiveUpdates(history, keepAlive, known);
        return Multi.createFrom()
                .ticks()
                .every(period)
                .onOverflow()
                .drop()
                .map(_ -> client.history.since(client.sentVersion))
                .filter(client::isDue)
                .invoke(client::sent);
    }

    private boolean isDue(LiveUpdate update) {
        return !update.isEmpty()
                || !update.sources().equals(sentSources)
                || System.nanoTime() - sentAtNanos >= keepAlive.toNanos();
    }

    private void sent(LiveUpdate update) {
        sentVersion = update.version();
        sentSources = update.sources();
        sentAtNanos = System.nanoTime();
    }
}
