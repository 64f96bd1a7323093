package io.trainyard.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The machine that this process runs on.
final class Machine implements Host {
    @Override
    public Thread start(String name, Runnable body) {
        return Thread.ofPlatform().name(name).daemon().start(body);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Instant now() {
        return Instant.now();
    }

    @Override
    public <T extends @Nullable Object> T await(CompletableFuture<T> work, Duration bound)
            throws InterruptedException, ExecutionException, TimeoutException {
        return work.get(bound.toNanos(), TimeUnit.NANOSECONDS);
    }
}
