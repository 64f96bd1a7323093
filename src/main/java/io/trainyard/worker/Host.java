package io.trainyard.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Threads, time and memory, as the machine gives them; the tests' simulated world gives others.
interface Host {
    /// Starts a thread that does not keep the process.
    Thread start(String name, Runnable body);

    /// Time that only goes on, in nanoseconds.
    long nanoTime();

    /// The time of day.
    Instant now();

    /// What this process has in memory.
    long residentBytes();

    /// Waits for `work`, but no longer than `bound`.
    <T extends @Nullable Object> T await(CompletableFuture<T> work, Duration bound)
            throws InterruptedException, ExecutionException, TimeoutException;
}
