package io.trainyard.training;

import static java.util.Locale.ROOT;

import io.trainyard.checkpoint.Progress;
import io.trainyard.event.TrainingEvent.Part;
import io.trainyard.spec.JobSpec;
import io.trainyard.spec.Metric;
import io.trainyard.spec.StopWhen;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Whether a job ends before its last epoch. The decision depends only on the [Progress] in checkpoints, so a
/// resumed attempt decides like the one before.
final class EarlyStop {
    private static final double MICROS_A_MINUTE = 60e6;

    private EarlyStop() {}

    /// @param at the end of an epoch
    /// @param part that is tested; null if the dataset has no validation part
    /// @return why the job ends here; empty if it goes on
    static Optional<String> reason(JobSpec job, Progress at, @Nullable Part part) {
        StopWhen stopWhen = job.stopWhen();
        if (stopWhen == null || at.epoch() == 0 || at.stepOfEpoch() > 0) {
            return Optional.empty();
        }
        Double accuracy = stopWhen.testAccuracyAtLeast();
        if (accuracy != null && at.accuracy() >= accuracy) {
            return Optional.of("%s accuracy %s reached %s".formatted(Part.word(part), at.accuracy(), accuracy));
        }
        Integer patience = stopWhen.noImprovementEpochs();
        int last = at.epoch() - 1;
        if (patience != null && last - at.bestEpoch() >= patience) {
            Metric metric = job.decidingMetric();
            return Optional.of("no improvement in %d epochs: the best %s %s is %s, after epoch %d"
                    .formatted(
                            last - at.bestEpoch(),
                            Part.word(part),
                            metric.label(),
                            metric.score(at.bestScore()),
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
