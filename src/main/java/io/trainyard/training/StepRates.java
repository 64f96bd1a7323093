package io.trainyard.training;

import io.trainyard.device.Workload;
import io.trainyard.spec.JobSpec;

/// A schedule's values for the steps of an epoch. Like PyTorch's, a schedule counts steps of the optimizer: the
/// batches of an accumulation group share the values of their step.
///
/// @param learningRates one per step
/// @param momenta one per step; empty if the optimizer's momentum is constant
record StepRates(double[] learningRates, double[] momenta) {
    static final StepRates NONE = new StepRates(new double[0], new double[0]);

    /// @param epoch from 0
    static StepRates of(JobSpec job, Workload workload, int epoch) {
        int updates = workload.updatesPerEpoch();
        double base = job.optimizer().learningRate();
        return new StepRates(
                workload.perStep(job.schedule().learningRates(base, epoch, updates, job.epochs())),
                workload.perStep(job.schedule().momenta(epoch, updates, job.epochs())));
    }

    /// @param step of any epoch; all have the same number
    double learningRate(long step) {
        return learningRates[Math.floorMod(step, learningRates.length)];
    }
}
