package io.trainyard.checkpoint;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/// The checkpoints that a job may resume from: those of its last attempt, those up to the one that this attempt
/// resumed from, and so on. It is computed from names alone.
///
/// What a superseded worker saves late is not among them, although its step may be the highest: a later attempt
/// has
/// resumed from an earlier checkpoint by then and published its steps. Resuming from the late one would leave a
/// hole
/// after them.
final class CheckpointLineage {
    /// The last step that counts, by attempt; null: no attempt noted anything, so all count.
    private final @Nullable Map<Integer, Long> lastSteps;

    /// Where an attempt resumed.
    ///
    /// @param step of the checkpoint; with attempt 0: it began at the first step
    record From(long step, int attempt) {
        static final From NOTHING = new From(0, 0);
    }

    /// @param resumed where each attempt resumed, as far as it noted that: the first one never does
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
