package io.trainyard.worker;

import io.trainyard.training.AttemptHost;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Threads, time and memory of the machine. Tests simulate them.
interface Host extends AttemptHost {
    long residentBytes();

    /// Waits for `work`, at most for `bound`.
    <T extends @Nullable Object> T await(CompletableFuture<T> work, Duration bound)
            throws InterruptedException, ExecutionException, TimeoutException;
}
