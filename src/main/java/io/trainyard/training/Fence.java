package io.trainyard.training;

import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.StoreException;
import java.time.Duration;

/// Stops a superseded attempt early. This saves work and confusing events; correctness does not depend on it,
/// because the job's chain rejects the decisions of a superseded attempt.
final class Fence {
    private static final System.Logger LOG = System.getLogger(Fence.class.getName());

    /// How long a later attempt may go unnoticed between steps.
    private static final long LOOK_NANOS = Duration.ofSeconds(2).toNanos();

    private final JobFolder folder;
    private final int attempt;
    private final AttemptHost host;
    private long lookNanos; // when to check again

    Fence(JobFolder folder, int attempt, AttemptHost host) {
        this.folder = folder;
        this.attempt = attempt;
        this.host = host;
        this.lookNanos = host.nanoTime() + LOOK_NANOS; // the claim has just checked
    }

    /// Checks if it has not done so for a while, in which the machine may have been frozen.
    ///
    /// @throws SupersededException if there is a later attempt
    void lookNowAndThen() {
        if (host.nanoTime() - lookNanos >= 0) {
            requireLast();
        }
    }

    /// Checks now.
    ///
    /// @throws SupersededException if there is a later attempt
    void requireLast() {
        lookNanos = host.nanoTime() + LOOK_NANOS;
        if (folder.isSuperseded(attempt)) {
            throw new SupersededException(
                    "job=%s attempt=%d there is a later attempt".formatted(folder.name(), attempt));
        }
    }

    /// If the store fails, this is unknown; a later attempt then prevents duplicates.
    boolean isKnownSuperseded() {
        try {
            return folder.isSuperseded(attempt);
        } catch (StoreException e) {
            LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d".formatted(folder.name(), attempt), e);
            return false;
        }
    }
}
