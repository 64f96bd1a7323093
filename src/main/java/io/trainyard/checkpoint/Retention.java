package io.trainyard.checkpoint;

import io.trainyard.spec.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Which of a job's checkpoints are kept.
///
/// @param keepLast how many of the newest, at least 1
/// @param keepBest whether that of the best test is kept besides
public record Retention(int keepLast, boolean keepBest) {
    public static Retention of(JobSpec job) {
        return new Retention(Objects.requireNonNullElse(job.keepLast(), Integer.MAX_VALUE), job.keepBest());
    }

    /// What may go now that `saved` is safe. What is newer than that one, an attempt's that has lost the job, is
    /// not looked at: it may be the last good one, or be passed over.
    ///
    /// @param all with `saved`, the newest last
    /// @param score of a checkpoint's weights, more is better; null where they were not tested
    List<CheckpointKey> superfluous(
            List<CheckpointKey> all, CheckpointKey saved, Function<CheckpointKey, @Nullable Double> score) {
        List<CheckpointKey> old = all.stream()
                .filter(key -> key.isOfAnAttempt() && key.compareTo(saved) <= 0)
                .toList();
        if (old.size() <= keepLast) {
            return List.of();
        }
        List<CheckpointKey> superfluous = new ArrayList<>(old.subList(0, old.size() - keepLast));
        if (keepBest) {
            superfluous.remove(best(old, score));
        }
        return superfluous;
    }

    /// The first of the best; null where none was tested.
    private static @Nullable CheckpointKey best(
            List<CheckpointKey> keys, Function<CheckpointKey, @Nullable Double> score) {
        CheckpointKey best = null;
        double most = Double.NEGATIVE_INFINITY;
        for (CheckpointKey key : keys) {
            Double reached = score.apply(key);
            if (reached != null && reached > most) {
                most = reached;
                best = key;
            }
        }
        return best;
    }
}
