package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/// When a job may end before its last epoch. Asked at each epoch's end, after its test; one condition that is met is
/// enough.
///
/// @param testAccuracyAtLeast the epoch's test accuracy, above 0 up to 1
/// @param noImprovementEpochs epochs in a row whose test is not better than the best before them: a higher accuracy,
///     or of a regression a lower test loss
/// @param maxMinutes of training and tests, over all attempts, as far as checkpoints keep what they did
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
