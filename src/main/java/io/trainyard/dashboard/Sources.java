package io.trainyard.dashboard;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/// Whether what the page is made from is there: the brokers, the tracking store, and how far behind the topics
/// the store is. Thread-safe.
public final class Sources {
    private final AtomicReference<State> state;
    private volatile long behindRecords;
    private volatile int podsUnmarked;
    private volatile boolean caughtUp;

    /// One of them.
    ///
    /// @param sinceMillis since when it is so, since 1970
    public record Source(boolean ok, long sinceMillis) {
        Source now(boolean nowOk, long millis) {
            return nowOk == ok ? this : new Source(nowOk, millis);
        }
    }

    /// All of them.
    ///
    /// @param behindMillis for how long the topics have had what is not in the store; 0: they have not
    public record State(Source kafka, Source store, long behindMillis) {}

    public Sources() {
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

    /// How many records the topics have that are not in the store.
    long behindRecords() {
        return behindRecords;
    }

    void behindRecords(long records) {
        behindRecords = records;
    }

    /// How many workers' pods are not marked as they should be.
    int podsUnmarked() {
        return podsUnmarked;
    }

    void podsUnmarked(int pods) {
        podsUnmarked = pods;
    }

    /// Whether all that the topics had when this process began is in the store: until then what it says of jobs is what
    /// it said when somebody read them last.
    boolean isCaughtUp() {
        return caughtUp;
    }

    void caughtUp() {
        caughtUp = true;
    }

    private void change(UnaryOperator<State> change) {
        state.updateAndGet(change);
    }

    /// The time up to which it is known what the fleet does: now, or when the brokers went away.
    public long knownMillis() {
        Source kafka = state().kafka();
        return kafka.ok() ? System.currentTimeMillis() : kafka.sinceMillis();
    }
}
