package io.trainyard.worker;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

final class StopSignal {
    private final Host host;
    private final CompletableFuture<Void> requested = new CompletableFuture<>();
    private volatile long requestNanos;

    StopSignal(Host host) {
        this.host = host;
    }

    synchronized void request() {
        if (requested.isDone()) {
            return;
        }
        requestNanos = host.nanoTime();
        requested.complete(null);
    }

    boolean isRequested() {
        return requested.isDone();
    }

    boolean isOlderThan(Duration time) {
        return isRequested() && host.nanoTime() - requestNanos > time.toNanos();
    }

    void await(Duration time) throws InterruptedException {
        try {
            var _ = host.await(requested, time);
        } catch (TimeoutException _) { // the time is over
        } catch (ExecutionException e) {
            throw new IllegalStateException("a stop request does not fail", e);
        }
    }
}
