package io.trainyard.training;

import io.trainyard.checkpoint.JobFolder;
import io.trainyard.checkpoint.StoreException;
import java.time.Duration;

/// Stops an attempt that is superseded soon. It saves work and confusing events; nothing depends on it, because
/// the job's chain refuses what a superseded attempt decides.
final class Fence {
    private static final System.Logger LOG = System.getLogger(Fence.class.getName());

    /// How long a later attempt may go unnoticed between steps.
    private static final long LOOK_NANOS = Duration.ofSeconds(2).toNanos();

    private final JobFolder folder;
    private final int attempt;
    private final AttemptHost host;
    private long lookNanos; // when to look again

    Fence(JobFolder folder, int attempt, AttemptHost host) {
        this.folder = folder;
        this.attempt = attempt;
        this.host = host;
        this.lookNanos = host.nanoTime() + LOOK_NANOS; // the claim has just looked
    }

    /// Looks if it has not done so for a while, in which the machine may have stood still.
    ///
    /// @throws SupersededException if there is a later attempt
    void lookNowAndThen() {
        if (host.nanoTime() - lookNanos >= 0) {
            requireLast();
        }
    }

    /// Looks now.
    ///
    /// @throws SupersededException if there is a later attempt
    void requireLast() {
        lookNanos = host.nanoTime() + LOOK_NANOS;
        if (folder.isSuperseded(attempt)) {
            throw new SupersededException(
                    "job=%s attempt=%d there is a later attempt".formatted(folder.name(), attempt));
        }
    }

    /// A store that is in trouble does not tell; then whoever is later sees to it that nothing is told twice.
    boolean isKnownSuperseded() {
        try {
            return folder.isSuperseded(attempt);
        } catch (StoreException e) {
            LOG.log(System.Logger.Level.WARNING, "job=%s attempt=%d".formatted(folder.name(), attempt), e);
            return false;
        }
    }
}
