package io.trainyard.training;

/// The number of steps to train in one call, so that losses are published in time and the device is not called
/// too often. The choice has no influence on the numbers.
final class StepsPerCall {
    /// Half of the allowed delay of losses, because a step's loss waits for the last step of its block and is
    /// then sent.
    static final long BLOCK_MICROS = 100_000;

    private int block = 1;

    /// @param left steps left in the epoch
    int steps(int left) {
        return Math.min(block, left);
    }

    /// Records how long some steps took. A block at most doubles, so that one lucky measurement cannot make it
    /// long.
    void took(int steps, long micros) {
        double target = BLOCK_MICROS * (double) steps / Math.max(1, micros);
        block = (int) Math.clamp(target, 1, 2.0 * block);
    }
}
