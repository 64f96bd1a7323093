package io.trainyard.dashboard;

import io.smallrye.mutiny.Multi;
import java.time.Duration;

/// What one client of the live stream is told: a snapshot, then what has changed, at most once a period.
///
/// Nothing is queued for it. A tick that finds it still writing is dropped, and the next update is made from the
/// history when there is room for it; so a slow client is given the newest state, only less often.
final class LiveUpdates {
    private final JobHistory history;
    private final Duration keepAlive;
    private long toldVersion;
    private long toldAtNanos;

    private LiveUpdates(JobHistory history, Duration keepAlive) {
        this.history = history;
        this.keepAlive = keepAlive;
    }

    static Multi<LiveUpdate> of(JobHistory history, Duration period, Duration keepAlive) {
        LiveUpdates client = new LiveUpdates(history, keepAlive);
        return Multi.createFrom()
                .ticks()
                .every(period)
                .onOverflow()
                .drop()
                .map(_ -> client.history.since(client.toldVersion, System.currentTimeMillis()))
                .filter(client::isDue)
                .invoke(client::told);
    }

    private boolean isDue(LiveUpdate update) {
        return !update.isEmpty() || System.nanoTime() - toldAtNanos >= keepAlive.toNanos();
    }

    private void told(LiveUpdate update) {
        toldVersion = update.version();
        toldAtNanos = System.nanoTime();
    }
}
