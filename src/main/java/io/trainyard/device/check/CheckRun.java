package io.trainyard.device.check;

import io.trainyard.device.DeviceLostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/// Runs checks on a separate thread, so that a device that hangs does not block the caller. The total time is
/// limited: a check that does not end in time fails, and checks that have not begun are reported.
public final class CheckRun implements AutoCloseable {
    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("device-check").daemon().factory());
    private final Duration bound;
    private final long startNanos = System.nanoTime();

    public CheckRun(Duration bound) {
        this.bound = bound;
    }

    public static final class OutOfTimeException extends Exception {
        private static final long serialVersionUID = 1L;

        private OutOfTimeException(Duration bound) {
            super("did not end within the bound of %d s for all checks".formatted(bound.toSeconds()));
        }
    }

    /// @param results receives each result on the calling thread
    /// @return all results; fewer than the checks if the time ran out or the device was lost
    public List<CheckResult> run(List<DeviceCheck> checks, Consumer<CheckResult> results) throws InterruptedException {
        List<CheckResult> all = new ArrayList<>();
        for (DeviceCheck check : checks) {
            long start = System.nanoTime();
            boolean last = false;
            CheckOutcome outcome;
            try {
                outcome = within(() -> check.body().get());
            } catch (OutOfTimeException e) {
                outcome = new CheckOutcome.Failed(Objects.requireNonNull(e.getMessage()));
                last = true;
            } catch (ExecutionException e) {
                outcome = new CheckOutcome.Failed(Objects.toString(e.getCause()));
                last = e.getCause() instanceof DeviceLostException;
            }
            CheckResult result = new CheckResult(check, outcome, (System.nanoTime() - start) / 1_000_000);
            all.add(result);
            results.accept(result);
            if (last) {
                break;
            }
        }
        return all;
    }

    /// Runs `task` on the device thread within the remaining time.
    ///
    /// @throws ExecutionException with the exception of the task
    public <T> T within(Callable<T> task) throws OutOfTimeException, ExecutionException, InterruptedException {
        Future<T> future = thread.submit(task);
        try {
            long left = bound.toNanos() - (System.nanoTime() - startNanos);
            return future.get(Math.max(0, left), TimeUnit.NANOSECONDS);
        } catch (TimeoutException _) {
            var _ = future.cancel(true);
            throw new OutOfTimeException(bound);
        }
    }

    /// A thread that hangs is abandoned; it ends with the process.
    @Override
    public void close() {
        var _ = thread.shutdownNow();
    }
}
