package io.trainyard.training;

import io.trainyard.device.Workload;
import io.trainyard.spec.JobSpec;

/// What a job's schedule says of the steps of an epoch.
///
/// @param learningRates one a step
/// @param momenta one a step; empty where the optimizer's own stays
record StepRates(double[] learningRates, double[] momenta) {
    static final StepRates NONE = new StepRates(new double[0], new double[0]);

    /// @param epoch from 0
    static StepRates of(JobSpec job, Workload workload, int epoch) {
        int steps = workload.stepsPerEpoch();
        return new StepRates(
                job.schedule().learningRates(job.optimizer().learningRate(), epoch, steps, job.epochs()),
                job.schedule().momenta(epoch, steps, job.epochs()));
    }

    /// @param step of any epoch; all have as many
    double learningRate(long step) {
        return learningRates[Math.floorMod(step, learningRates.length)];
    }
}
