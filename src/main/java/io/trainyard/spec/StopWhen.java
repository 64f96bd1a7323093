package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/// Conditions to end a job before its last epoch. They are checked after each epoch's test; a single one is
/// sufficient.
///
/// @param testAccuracyAtLeast the epoch's test accuracy, above 0 up to 1
/// @param noImprovementEpochs consecutive epochs without a better test than all before, by the job's metric
/// @param maxMinutes of training and tests, over all attempts, except work lost since a checkpoint
@JsonInclude(JsonInclude.Include.NON_NULL)
public record StopWhen(
        @Nullable Double testAccuracyAtLeast,
        @Nullable Integer noImprovementEpochs,
        @Nullable Double maxMinutes) {
    public StopWhen {
        if (testAccuracyAtLeast == null && noImprovementEpochs == null && maxMinutes == null) {
            throw new InvalidJobException(
                    "stopWhen is empty; give it testAccuracyAtLeast, noImprovementEpochs or maxMinutes, or leave it out");
        }
        if (testAccuracyAtLeast != null) {
            Check.above0UpTo("stopWhen.testAccuracyAtLeast", testAccuracyAtLeast, 1);
        }
        if (noImprovementEpochs != null) {
            Check.between("stopWhen.noImprovementEpochs", noImprovementEpochs, 1, 100_000);
        }
        if (maxMinutes != null) {
            Check.above0UpTo("stopWhen.maxMinutes", maxMinutes, JobLimits.MAX_MINUTES);
        }
    }
}
