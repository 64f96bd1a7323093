package io.trainyard.dashboard.rest;

import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response.Status;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Calls that take megabytes of heap: one runs at a time, others wait a while. Thread-safe.
@Singleton
class HeavyCalls {
    private static final long WAIT_SECONDS = 30;

    private final Semaphore running = new Semaphore(1, true);

    /// Runs a call.
    ///
    /// @throws jakarta.ws.rs.WebApplicationException with 503 if others take too long
    <T> T call(Supplier<T> work) {
        try {
            if (!running.tryAcquire(WAIT_SECONDS, TimeUnit.SECONDS)) {
                throw Problem.refusal(
                        Status.SERVICE_UNAVAILABLE,
                        "other large calls have run for %d s; try it again".formatted(WAIT_SECONDS));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw Problem.refusal(Status.SERVICE_UNAVAILABLE, "the dashboard stops");
        }
        try {
            return work.get();
        } finally {
            running.release();
        }
    }
}
