package io.trainyard.checkpoint;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/// The checkpoints from which a job may resume: those of its last attempt, those up to the one from which this
/// attempt resumed, and so on. It is computed from names only.
///
/// Checkpoints that a superseded worker saves late are excluded, even if they have the highest step. A later
/// attempt has resumed from an earlier checkpoint and published its steps, and resuming from the late one would
/// leave a gap after them.
final class CheckpointLineage {
    /// The last step that counts, by attempt; null if no attempt recorded where it resumed, so that all count.
    private final @Nullable Map<Integer, Long> lastSteps;

    /// Where an attempt resumed.
    ///
    /// @param step of the checkpoint; with attempt 0, the attempt began at the first step
    record From(long step, int attempt) {
        static final From NOTHING = new From(0, 0);
    }

    /// @param resumed where each attempt resumed, if recorded; the first attempt never records it
    CheckpointLineage(NavigableMap<Integer, From> resumed) {
        if (resumed.isEmpty()) {
            lastSteps = null;
            return;
        }
        lastSteps = new HashMap<>();
        int attempt = resumed.lastKey();
        long last = Long.MAX_VALUE;
        while (attempt > 0) {
            lastSteps.put(attempt, last);
            From from = resumed.getOrDefault(attempt, From.NOTHING);
            last = from.step();
            attempt = from.attempt() < attempt ? from.attempt() : 0;
        }
    }

    boolean has(CheckpointKey checkpoint) {
        return lastSteps == null || checkpoint.step() <= lastSteps.getOrDefault(checkpoint.attempt(), -1L);
    }
}
