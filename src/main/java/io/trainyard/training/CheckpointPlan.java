package io.trainyard.training;

import io.trainyard.checkpoint.Progress;
import io.trainyard.spec.JobSpec;

/// When checkpoints are due. The choice has no influence on the numbers.
record CheckpointPlan(JobSpec job) {
    private static final long NANOS_A_SECOND = 1_000_000_000;

    /// The number of steps until the next checkpoint.
    ///
    /// @param left steps left in the epoch
    int stepsUntilDue(Progress at, int left) {
        Integer every = job.checkpointEverySteps();
        return every == null ? left : (int) Math.min(left, every - at.step() % every);
    }

    /// Whether a checkpoint is due by its step or epoch. The last step of an epoch waits for the test.
    boolean isDue(Progress at) {
        Integer every = job.checkpointEverySteps();
        boolean bySteps = every != null && at.step() % every == 0;
        return bySteps || (at.stepOfEpoch() == 0 && at.epoch() % job.checkpointEveryEpochs() == 0);
    }

    /// @param nanos since the last one was begun
    boolean isDueAfter(long nanos) {
        Integer every = job.checkpointEverySeconds();
        return every != null && nanos >= every * NANOS_A_SECOND;
    }
}
