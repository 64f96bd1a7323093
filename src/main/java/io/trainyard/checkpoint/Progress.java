package io.trainyard.checkpoint;

import io.trainyard.spec.Metric;
import org.jspecify.annotations.Nullable;

/// The progress of a job.
///
/// @param epoch the current epoch; equal to the job's epochs at the end
/// @param stepOfEpoch steps done in that epoch
/// @param step steps done in all epochs
/// @param random the default generator's state at the beginning of that epoch
/// @param accuracy of the last test, 0..1; NaN before the first and for regression
/// @param bestAccuracy of the best test, 0..1; 0 before the first and for regression
/// @param bestEpoch the first epoch with the best test, by the metric; -1 before the first test
/// @param workedMicros time of steps and tests so far, over all attempts
/// @param testLoss of the last test; NaN before the first
/// @param bestTestLoss of the best test; NaN before the first
/// @param metric of the job; null: the usual one, accuracy or for regression loss
/// @param score of the last test by the metric, higher is better; NaN before the first
/// @param bestScore of the best test; NaN before the first
public record Progress(
        int epoch,
        int stepOfEpoch,
        long step,
        long[] random,
        double accuracy,
        double bestAccuracy,
        int bestEpoch,
        long workedMicros,
        double testLoss,
        double bestTestLoss,
        @Nullable Metric metric,
        double score,
        double bestScore) {
    /// The result of a test.
    ///
    /// @param accuracy NaN for regression
    /// @param score by the job's metric, higher is better
    public record Measured(double accuracy, double loss, double score) {}

    /// With the usual metric.
    public Progress(
            int epoch,
            int stepOfEpoch,
            long step,
            long[] random,
            double accuracy,
            double bestAccuracy,
            int bestEpoch,
            long workedMicros,
            double testLoss,
            double bestTestLoss) {
        this(
                epoch,
                stepOfEpoch,
                step,
                random,
                accuracy,
                bestAccuracy,
                bestEpoch,
                workedMicros,
                testLoss,
                bestTestLoss,
                null,
                usualScore(accuracy, testLoss),
                Double.isNaN(accuracy) ? -bestTestLoss : bestAccuracy);
    }

    public static Progress beginning(long[] random) {
        return new Progress(0, 0, 0, random, Double.NaN, 0, -1, 0, Double.NaN, Double.NaN);
    }

    /// The same for a job with this metric.
    ///
    /// @param newMetric null: the usual one
    /// @param newScore of the last test
    /// @param newBestScore of the best test
    public Progress withMetric(@Nullable Metric newMetric, double newScore, double newBestScore) {
        return new Progress(
                epoch,
                stepOfEpoch,
                step,
                random,
                accuracy,
                bestAccuracy,
                bestEpoch,
                workedMicros,
                testLoss,
                bestTestLoss,
                newMetric,
                newScore,
                newBestScore);
    }

    private static double usualScore(double accuracy, double loss) {
        return Double.isNaN(accuracy) ? -loss : accuracy;
    }

    public Progress plus(int steps, long micros) {
        return new Progress(
                epoch,
                stepOfEpoch + steps,
                step + steps,
                random,
                accuracy,
                bestAccuracy,
                bestEpoch,
                workedMicros + micros,
                testLoss,
                bestTestLoss,
                metric,
                score,
                bestScore);
    }

    /// The progress after the current epoch was trained and tested.
    ///
    /// @param nextRandom the generator's state after it
    /// @param testMicros the duration of the test
    public Progress nextEpoch(long[] nextRandom, Measured test, long testMicros) {
        boolean better = bestEpoch < 0 || test.score() > bestScore;
        return new Progress(
                epoch + 1,
                0,
                step,
                nextRandom,
                test.accuracy(),
                better && !Double.isNaN(test.accuracy()) ? test.accuracy() : bestAccuracy,
                better ? epoch : bestEpoch,
                workedMicros + testMicros,
                test.loss(),
                better ? test.loss() : bestTestLoss,
                metric,
                test.score(),
                better ? test.score() : bestScore);
    }

    /// The epoch of the last step.
    public int epochOfLastStep() {
        return stepOfEpoch == 0 ? Math.max(0, epoch - 1) : epoch;
    }
}
