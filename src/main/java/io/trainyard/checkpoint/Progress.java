package io.trainyard.checkpoint;

/// The progress of a job.
///
/// @param epoch the current epoch; equal to the job's epochs at the end
/// @param stepOfEpoch steps done in that epoch
/// @param step steps done in all epochs
/// @param random the default generator's state at the beginning of that epoch
/// @param accuracy of the last test, 0..1; NaN before the first and for regression
/// @param bestAccuracy of the best test, 0..1; 0 before the first and for regression
/// @param bestEpoch the first epoch with the best test: the highest accuracy, or for regression the lowest
///     loss; -1 before the first test
/// @param workedMicros time of steps and tests so far, over all attempts
/// @param testLoss of the last test; NaN before the first
/// @param bestTestLoss of the best test; NaN before the first
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
        double bestTestLoss) {
    public static Progress beginning(long[] random) {
        return new Progress(0, 0, 0, random, Double.NaN, 0, -1, 0, Double.NaN, Double.NaN);
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
                bestTestLoss);
    }

    /// The progress after the current epoch was trained and tested.
    ///
    /// @param nextRandom the generator's state after it
    /// @param newAccuracy NaN for regression, where the loss decides which test is best
    /// @param testMicros the duration of the test
    public Progress nextEpoch(long[] nextRandom, double newAccuracy, double newLoss, long testMicros) {
        boolean regression = Double.isNaN(newAccuracy);
        boolean better = bestEpoch < 0 || (regression ? newLoss < bestTestLoss : newAccuracy > bestAccuracy);
        return new Progress(
                epoch + 1,
                0,
                step,
                nextRandom,
                newAccuracy,
                better && !regression ? newAccuracy : bestAccuracy,
                better ? epoch : bestEpoch,
                workedMicros + testMicros,
                newLoss,
                better ? newLoss : bestTestLoss);
    }

    /// The epoch of the last step.
    public int epochOfLastStep() {
        return stepOfEpoch == 0 ? Math.max(0, epoch - 1) : epoch;
    }
}
