package io.trainyard.worker;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Says once and for all that the worker stops, and since when.
final class StopSignal {
    private final CountDownLatch requested = new CountDownLatch(1);
    private volatile long requestNanos;

    void request() {
        requestNanos = System.nanoTime();
        requested.countDown();
    }

    boolean isRequested() {
        return requested.getCount() == 0;
    }

    /// Whether the stop was requested longer ago than `time`.
    boolean isOlderThan(Duration time) {
        return isRequested() && System.nanoTime() - requestNanos > time.toNanos();
    }

    /// Waits for the request, but no longer than `time`.
    void await(Duration time) throws InterruptedException {
        var _ = requested.await(time.toMillis(), TimeUnit.MILLISECONDS);
    }
}
