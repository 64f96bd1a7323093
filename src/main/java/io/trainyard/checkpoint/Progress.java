package io.trainyard.checkpoint;

/// How far a job is.
///
/// @param epoch the epoch to go on with; equal to the job's epochs when it is done
/// @param stepOfEpoch steps done in that epoch
/// @param step steps done in all
/// @param random the default generator's state at the beginning of that epoch
/// @param accuracy the last test's, 0..1; NaN before the first, and where numbers are predicted
/// @param bestAccuracy the best test's, 0..1; 0 before the first, and where numbers are predicted
/// @param bestEpoch the first epoch with the best test, of the highest accuracy, or where numbers are predicted of the
///     lowest loss; -1 before the first test
/// @param workedMicros time spent on steps and tests so far, over all attempts
/// @param testLoss the last test's; NaN before the first
/// @param bestTestLoss that of the best test; NaN before the first
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

    /// The epoch is trained and tested.
    ///
    /// @param nextRandom the generator's state after it
    /// @param newAccuracy NaN where numbers are predicted: then the loss tells the best
    /// @param testMicros the test's time
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

    /// The epoch the last step belongs to.
    public int epochOfLastStep() {
        return stepOfEpoch == 0 ? Math.max(0, epoch - 1) : epoch;
    }
}
