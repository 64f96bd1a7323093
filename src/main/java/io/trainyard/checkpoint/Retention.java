package io.trainyard.checkpoint;

import io.trainyard.spec.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The rule for which checkpoints of a job are kept.
///
/// @param keepLast how many of the newest ones, at least 1
/// @param keepBest whether the one with the best test is also kept
public record Retention(int keepLast, boolean keepBest) {
    public static Retention of(JobSpec job) {
        return new Retention(Objects.requireNonNullElse(job.keepLast(), Integer.MAX_VALUE), job.keepBest());
    }

    /// The same for a job with a validation part, whose best checkpoint is tested at its end.
    public Retention withBest() {
        return new Retention(keepLast, true);
    }

    boolean keepsAll() {
        return keepLast == Integer.MAX_VALUE;
    }

    /// Whether the checkpoint of the best test may be deleted.
    public boolean deletesBest() {
        return !keepsAll() && !keepBest;
    }

    /// The checkpoints to delete after `saved` was written. Newer checkpoints are left alone because a
    /// superseded attempt saved them.
    ///
    /// @param all checkpoints of attempts up to that of `saved`, the newest last, including `saved`
    /// @param counts whether the job may resume from a checkpoint; if not, no later attempt will
    /// @param score the quality of a checkpoint's weights, higher is better; null without a test
    List<CheckpointKey> superfluous(
            List<CheckpointKey> all,
            CheckpointKey saved,
            Predicate<CheckpointKey> counts,
            Function<CheckpointKey, @Nullable Double> score) {
        List<CheckpointKey> old =
                all.stream().filter(key -> key.compareTo(saved) <= 0).toList();
        List<CheckpointKey> counting = old.stream()
                .filter(key -> key.equals(saved) || counts.test(key))
                .toList();
        List<CheckpointKey> superfluous = new ArrayList<>(old);
        superfluous.removeAll(counting.subList(Math.max(0, counting.size() - keepLast), counting.size()));
        if (keepBest && !superfluous.isEmpty()) {
            superfluous.remove(best(counting, score));
        }
        return superfluous;
    }

    /// The first checkpoint with the best score; null if none was tested.
    static @Nullable CheckpointKey best(List<CheckpointKey> keys, Function<CheckpointKey, @Nullable Double> score) {
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
