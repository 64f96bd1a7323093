package io.trainyard.sweep;

import io.trainyard.spec.AshaSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobSpec;
import org.jspecify.annotations.Nullable;

/// Checks, one trial after the other, that the trials of a sweep can be compared, also at its rungs.
final class Comparability {
    private final @Nullable AshaSpec asha;
    private final int trials;
    private @Nullable Boolean regression; // of the trials so far
    private @Nullable JobSpec first;

    /// @param asha null: the sweep has no rungs
    /// @param trials how many there are
    Comparability(@Nullable AshaSpec asha, int trials) {
        this.asha = asha;
        this.trials = trials;
    }

    /// @throws InvalidJobException if the trial cannot be compared with those before it
    void require(JobSpec trial) {
        first = first == null ? trial : first;
        if (first.metric() != trial.metric()) {
            throw new InvalidJobException(
                    "sweep varies metric between %s and %s, and all trials are compared by one; choose one for the sweep"
                            .formatted(first.decidingMetric(), trial.decidingMetric()));
        }
        if (asha == null) {
            return;
        }
        boolean isRegression = trial.loss().isRegression();
        if (regression != null && regression != isRegression) {
            throw new InvalidJobException(
                    "sweep varies the loss between mse and others, and asha compares all trials; sweep one kind of loss at a time, or leave asha out");
        }
        regression = isRegression;
        asha.requireRungs(trial, trials);
    }
}
