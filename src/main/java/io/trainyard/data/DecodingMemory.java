package io.trainyard.data;

import java.util.concurrent.Semaphore;

/// Limits the Java heap of pictures that are decoded concurrently to one half, because the process exits when its
/// heap is full.
///
/// A thread holds none of the budget while it waits, so threads cannot deadlock.
final class DecodingMemory {
    private static final int MIB = 1 << 20;

    private final int mibs;
    private final Semaphore free;

    DecodingMemory(long heapBytes) {
        mibs = (int) Math.clamp(heapBytes / 2 / MIB, 1, Integer.MAX_VALUE);
        free = new Semaphore(mibs, true); // fair: a large picture is not overtaken forever
    }

    /// Whether the whole budget is large enough.
    boolean has(long bytes) {
        return mibs(bytes) <= mibs;
    }

    int size() {
        return mibs;
    }

    /// Waits until the bytes are available.
    ///
    /// @param bytes at most the budget, see [#has]
    void take(long bytes) throws InterruptedException {
        free.acquire(mibs(bytes));
    }

    /// Takes the difference without waiting; returns false if it is not available.
    boolean takeMore(long has, long needs) {
        return mibs(needs) <= mibs(has) || free.tryAcquire(mibs(needs) - mibs(has));
    }

    void release(long bytes) {
        free.release(mibs(bytes));
    }

    private static int mibs(long bytes) {
        return (int) Math.min(bytes / MIB + 1, Integer.MAX_VALUE);
    }
}
