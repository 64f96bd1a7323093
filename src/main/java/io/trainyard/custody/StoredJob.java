package io.trainyard.custody;

import io.trainyard.checkpoint.ChainLink;
import io.trainyard.checkpoint.ChainLink.Pause;
import org.jspecify.annotations.Nullable;

/// What the store says of a job at the moment.
///
/// @param store the store's identity
/// @param sameJob whether the job kept under the id is the one that is asked for
/// @param last the number of the last link of the job's chain; 0: none
/// @param link the last link; null where there is none
public record StoredJob(
        String store, boolean sameJob, int last, @Nullable ChainLink link) {
    /// The number of the attempt that a command begins: the next one of the chain, without a gap. Where there
    /// is no chain
    /// the command says it: a store that was emptied must not have an attempt that readers take for an older one.
    int next(Request request) {
        return last == 0 ? request.attempt() : last + 1;
    }

    /// The number that the command of a job has which waits to be resumed: that of its pause, or of the next
    /// attempt.
    int parked(Request request) {
        return Math.max(request.attempt(), link instanceof Pause ? last : last + 1);
    }
}
