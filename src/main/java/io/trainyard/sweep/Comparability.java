package io.trainyard.sweep;

import io.trainyard.spec.AshaSpec;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Metric;
import org.jspecify.annotations.Nullable;

/// Checks, one trial after the other, that the trials of a sweep can be compared at its rungs.
final class Comparability {
    private final @Nullable AshaSpec asha;
    private final int trials;
    private @Nullable Boolean regression; // of the trials so far
    private @Nullable Metric metric; // likewise

    /// @param asha null: the sweep has no rungs
    /// @param trials how many there are
    Comparability(@Nullable AshaSpec asha, int trials) {
        this.asha = asha;
        this.trials = trials;
    }

    /// @throws InvalidJobException if the trial cannot be compared with those before it
    void require(JobSpec trial) {
        if (asha == null) {
            return;
        }
        boolean isRegression = trial.loss().isRegression();
        if (regression != null && regression != isRegression) {
            throw new InvalidJobException(
                    "sweep varies the loss between mse and others, and asha compares all trials; sweep one kind of loss at a time, or leave asha out");
        }
        regression = isRegression;
        if (metric != null && metric != trial.decidingMetric()) {
            throw new InvalidJobException(
                    "sweep varies metric between %s and %s, and asha compares all trials by one; choose one, or leave asha out"
                            .formatted(metric, trial.decidingMetric()));
        }
        metric = trial.decidingMetric();
        asha.requireRungs(trial, trials);
    }
}
