package io.trainyard.dashboard;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/// The availability of the brokers and the tracking store, and how far the store is behind the topics.
/// Thread-safe.
public final class SourceStatus {
    private final AtomicReference<State> state;
    private volatile long behindRecords;
    private volatile int podsUnmarked;
    private volatile boolean caughtUp;

    /// The state of one of them.
    ///
    /// @param sinceMillis when this state began, Unix time in ms
    public record Source(boolean ok, long sinceMillis) {
        Source now(boolean nowOk, long millis) {
            return nowOk == ok ? this : new Source(nowOk, millis);
        }
    }

    /// The state of both.
    ///
    /// @param behindMillis how long the topics have had records that are not in the store; 0 if the store is up
    ///     to date
    public record State(Source kafka, Source store, long behindMillis) {}

    public SourceStatus() {
        Source well = new Source(true, System.currentTimeMillis());
        state = new AtomicReference<>(new State(well, well, 0));
    }

    public State state() {
        return state.get();
    }

    void kafka(boolean ok) {
        change(now -> new State(now.kafka().now(ok, System.currentTimeMillis()), now.store(), now.behindMillis()));
    }

    void store(boolean ok) {
        change(now -> new State(now.kafka(), now.store().now(ok, System.currentTimeMillis()), now.behindMillis()));
    }

    void behind(long millis) {
        change(now -> new State(now.kafka(), now.store(), millis));
    }

    /// The number of records that are not in the store yet.
    long behindRecords() {
        return behindRecords;
    }

    void behindRecords(long records) {
        behindRecords = records;
    }

    /// The number of worker pods without the right mark.
    int podsUnmarked() {
        return podsUnmarked;
    }

    void podsUnmarked(int pods) {
        podsUnmarked = pods;
    }

    /// Whether all records that existed when this process started are in the store. Before that, the states of
    /// jobs are outdated.
    boolean isCaughtUp() {
        return caughtUp;
    }

    void caughtUp() {
        caughtUp = true;
    }

    private void change(UnaryOperator<State> change) {
        state.updateAndGet(change);
    }

    /// The time up to which the state of the fleet is known: now, or when the brokers became unavailable.
    public long knownMillis() {
        Source kafka = state().kafka();
        return kafka.ok() ? System.currentTimeMillis() : kafka.sinceMillis();
    }
}
