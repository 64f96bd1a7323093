package io.trainyard.training;

import io.trainyard.device.Workload;
import io.trainyard.spec.JobSpec;

/// What a job's schedule says of the steps of an epoch. A schedule goes by the steps of the optimizer, as
/// PyTorch's do: the batches of a group have those of the step that they make together.
///
/// @param learningRates one a step
/// @param momenta one a step; empty where the optimizer's own stays
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

    /// @param step of any epoch; all have as many
    double learningRate(long step) {
        return learningRates[Math.floorMod(step, learningRates.length)];
    }
}
