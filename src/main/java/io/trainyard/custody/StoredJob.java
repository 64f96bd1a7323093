package io.trainyard.custody;

import io.trainyard.checkpoint.Holder;
import org.jspecify.annotations.Nullable;

/// What the store says of a job at the moment.
///
/// @param store the store's identity
/// @param sameJob whether the job kept under the id is the one that is asked for
/// @param outcome the event that ended it, as JSON; null: it has not ended
/// @param last the newest attempt; 0: none
/// @param holder whom that belongs to; null where there is none
public record StoredJob(
        String store,
        boolean sameJob,
        byte @Nullable [] outcome,
        int last,
        @Nullable Holder holder) {}
