package io.trainyard.training;

import io.trainyard.checkpoint.Checkpoint;
import io.trainyard.checkpoint.CheckpointRef;
import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.Progress;
import io.trainyard.checkpoint.Retention;
import io.trainyard.checkpoint.StoreException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// Writes an attempt's checkpoints on its own thread, one at a time, while the attempt trains. For the
/// attempt's thread.
final class CheckpointWriter implements AutoCloseable {
    /// Writes in a row that may fail if there is an earlier checkpoint.
    static final int MAX_FAILURES = 3;

    private static final System.Logger LOG = System.getLogger(CheckpointWriter.class.getName());

    private final JobFolder folder;
    private Retention retention;
    private final Runnable onFailure;
    private final AttemptHost host;
    private @Nullable CompletableFuture<Written> underWay;
    private @Nullable Thread thread; // of the last write
    private int failures; // in a row

    /// A checkpoint that is complete.
    ///
    /// @param model its file
    record Written(Progress at, CheckpointRef model) {}

    /// @param retention decides which checkpoints stay when a new one exists
    /// @param onFailure called by [#take] for each checkpoint that could not be written
    /// @param host starts a thread for each write
    CheckpointWriter(JobFolder folder, Retention retention, Runnable onFailure, AttemptHost host) {
        this.folder = folder;
        this.retention = retention;
        this.onFailure = onFailure;
        this.host = host;
    }

    /// Retains the checkpoint of the best epoch, even if the job does not ask for it. To be called before the first
    /// [#begin].
    void keepBest() {
        retention = retention.withBest();
    }

    /// Whether one is being written.
    boolean isBusy() {
        return underWay != null && !underWay.isDone();
    }

    /// Starts to write a checkpoint; the previous one must have been taken.
    void begin(Checkpoint checkpoint) {
        CompletableFuture<Written> written = new CompletableFuture<>();
        underWay = written;
        thread = host.start("checkpoints-" + folder.name(), () -> {
            try {
                written.complete(write(checkpoint));
            } catch (Throwable e) { // for the attempt's thread, even an Error
                written.completeExceptionally(e);
            }
        });
    }

    private Written write(Checkpoint checkpoint) {
        CheckpointRef model = folder.checkpoints().save(checkpoint);
        try {
            if (!folder.checkpoints().keep(retention, checkpoint)) {
                throw new SupersededException(
                        "job=%s attempt=%d there is a later attempt".formatted(folder.name(), checkpoint.attempt()));
            }
        } catch (StoreException e) { // they only use space, and are deleted after the next checkpoint
            LOG.log(System.Logger.Level.WARNING, "job=%s old checkpoints stay".formatted(folder.name()), e);
        }
        return new Written(checkpoint.progress(), model);
    }

    /// Waits for the checkpoint that is being written, and returns it once.
    ///
    /// @param mayFail whether an earlier one is sufficient if this one cannot be written
    /// @return empty if none was being written, or it failed and may fail
    /// @throws StoreException if it failed and may not, or failed too often
    Optional<Written> take(boolean mayFail) {
        CompletableFuture<Written> awaited = underWay;
        if (awaited == null) {
            return Optional.empty();
        }
        underWay = null;
        try {
            Written written = awaited.get();
            failures = 0;
            return Optional.of(written);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new CancellationException("the attempt was given up");
        } catch (ExecutionException e) {
            return failed(e.getCause(), mayFail);
        }
    }

    private Optional<Written> failed(@Nullable Throwable cause, boolean mayFail) {
        if (cause instanceof SupersededException e) {
            throw e;
        }
        failures++;
        onFailure.run();
        switch (cause) {
            case StoreException e
            when mayFail && failures < MAX_FAILURES -> {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "job=%s a checkpoint could not be written, for the %d. time in a row; the one before stays: %s"
                                .formatted(folder.name(), failures, e.getMessage()));
                return Optional.empty();
            }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case null, default -> throw new IllegalStateException("writing throws no checked exception", cause);
        }
    }

    /// Waits for a write in progress, and interrupts it when interrupted; after that nothing is written.
    @Override
    public void close() {
        Thread writing = thread;
        boolean interrupted = false;
        while (writing != null && writing.isAlive()) {
            try {
                writing.join();
            } catch (InterruptedException _) {
                interrupted = true;
                writing.interrupt();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
