package io.trainyard.ownership;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.ChainLink.Pause;
import org.jspecify.annotations.Nullable;

/// A job's current state in the store.
///
/// @param sameJob whether the job that is stored under the id is the same as the command's
/// @param last the number of the last link of the job's chain; 0 if it has no links
public record StoredJob(
        String store, boolean sameJob, int last, @Nullable ChainLink link) {
    /// The number of the attempt that a command begins: the next one of the chain, without a gap. Without a
    /// chain the command's number counts: after a store was emptied, readers must not mistake a new attempt for
    /// an older one.
    int next(CommandContent request) {
        return last == 0 ? request.attempt() : last + 1;
    }

    /// The attempt number in the command of a paused job: that of its pause, or of the next attempt.
    int deferred(CommandContent request) {
        return Math.max(request.attempt(), link instanceof Pause ? last : last + 1);
    }
}
