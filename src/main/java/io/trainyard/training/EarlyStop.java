package io.trainyard.training;

import static java.util.Locale.ROOT;

import io.trainyard.checkpoint.Progress;
import io.trainyard.spec.StopWhen;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Whether a job ends before its last epoch. All it asks is in the [Progress] that checkpoints keep, so that an
/// attempt that goes on from one decides as the attempt before would have.
final class EarlyStop {
    private static final double MICROS_A_MINUTE = 60e6;

    private EarlyStop() {}

    /// @param at where the job stands, at an epoch's end
    /// @return why it ends here; empty when it goes on
    static Optional<String> reason(@Nullable StopWhen stopWhen, Progress at) {
        if (stopWhen == null || at.epoch() == 0 || at.stepOfEpoch() > 0) {
            return Optional.empty();
        }
        Double accuracy = stopWhen.testAccuracyAtLeast();
        if (accuracy != null && at.accuracy() >= accuracy) {
            return Optional.of("test accuracy %s reached %s".formatted(at.accuracy(), accuracy));
        }
        Integer patience = stopWhen.noImprovementEpochs();
        int last = at.epoch() - 1;
        if (patience != null && last - at.bestEpoch() >= patience) {
            boolean regression = Double.isNaN(at.accuracy());
            return Optional.of("no improvement in %d epochs: the best test %s is %s, after epoch %d"
                    .formatted(
                            last - at.bestEpoch(),
                            regression ? "loss" : "accuracy",
                            regression ? at.bestTestLoss() : at.bestAccuracy(),
                            at.bestEpoch()));
        }
        Double minutes = stopWhen.maxMinutes();
        if (minutes != null && at.workedMicros() >= minutes * MICROS_A_MINUTE) {
            return Optional.of(String.format(
                    ROOT, "%.2f minutes of training reached %s", at.workedMicros() / MICROS_A_MINUTE, minutes));
        }
        return Optional.empty();
    }
}
