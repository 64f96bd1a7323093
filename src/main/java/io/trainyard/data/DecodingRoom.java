package io.trainyard.data;

import java.util.concurrent.Semaphore;

/// Room in Java's heap for pictures that are decoded at the same time: half of it. A process whose heap is
/// full ends.
///
/// Whoever waits here holds nothing of it, so that nobody waits for one another.
final class DecodingRoom {
    private static final int MIB = 1 << 20;

    private final int mibs;
    private final Semaphore free;

    DecodingRoom(long heapBytes) {
        mibs = (int) Math.clamp(heapBytes / 2 / MIB, 1, Integer.MAX_VALUE);
        free = new Semaphore(mibs, true); // fair: a large picture waits no longer than those before it
    }

    /// Whether there could ever be so much.
    boolean has(long bytes) {
        return mibs(bytes) <= mibs;
    }

    int size() {
        return mibs;
    }

    /// Waits until there is so much.
    ///
    /// @param bytes not more than it [#has]
    void take(long bytes) throws InterruptedException {
        free.acquire(mibs(bytes));
    }

    /// As much as is missing, if it is there at once.
    boolean takeMore(long has, long needs) {
        return mibs(needs) <= mibs(has) || free.tryAcquire(mibs(needs) - mibs(has));
    }

    void giveBack(long bytes) {
        free.release(mibs(bytes));
    }

    private static int mibs(long bytes) {
        return (int) Math.min(bytes / MIB + 1, Integer.MAX_VALUE);
    }
}
