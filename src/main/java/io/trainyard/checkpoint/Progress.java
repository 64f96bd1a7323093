package io.trainyard.checkpoint;

/// How far a job is.
///
/// @param epoch the epoch to go on with; equal to the job's epochs when it is done
/// @param stepOfEpoch steps done in that epoch
/// @param step steps done in all
/// @param random the default generator's state at the beginning of that epoch
/// @param accuracy the last test's, 0..1; NaN before the first
/// @param bestAccuracy the best test's, 0..1; 0 before the first
public record Progress(int epoch, int stepOfEpoch, long step, long[] random, double accuracy, double bestAccuracy) {
    /// Nothing done yet.
    public static Progress beginning(long[] random) {
        return new Progress(0, 0, 0, random, Double.NaN, 0);
    }

    public Progress plus(int steps) {
        return new Progress(epoch, stepOfEpoch + steps, step + steps, random, accuracy, bestAccuracy);
    }

    /// The epoch is trained and tested.
    ///
    /// @param nextRandom the generator's state after it
    public Progress nextEpoch(long[] nextRandom, double testAccuracy) {
        return new Progress(epoch + 1, 0, step, nextRandom, testAccuracy, Math.max(bestAccuracy, testAccuracy));
    }

    /// The epoch the last step belongs to.
    public int epochOfLastStep() {
        return stepOfEpoch == 0 ? Math.max(0, epoch - 1) : epoch;
    }
}
