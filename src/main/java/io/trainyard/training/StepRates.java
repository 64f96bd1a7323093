package io.trainyard.training;

import io.trainyard.device.Workload;
import io.trainyard.spec.JobSpec;
import java.util.List;
import java.util.stream.IntStream;

/// A schedule's values for the steps of an epoch. Like PyTorch's, a schedule counts steps of the optimizer: the
/// batches of an accumulation group share the values of their step.
///
/// @param learningRates one per step
/// @param groupRates those of each of the optimizer's groups after the first
/// @param momenta one per step; empty if the optimizer's momentum is constant
record StepRates(double[] learningRates, List<double[]> groupRates, double[] momenta) {
    static final StepRates NONE = new StepRates(new double[0], List.of(), new double[0]);

    /// @param epoch from 0
    static StepRates of(JobSpec job, Workload workload, int epoch) {
        int updates = workload.updatesPerEpoch();
        List<double[]> rates = IntStream.range(0, job.optimizer().groupCount())
                .mapToDouble(group -> job.optimizer().ofGroup(group).learningRate())
                .mapToObj(base -> workload.perStep(job.schedule().learningRates(base, epoch, updates, job.epochs())))
                .toList();
        return new StepRates(
                rates.getFirst(),
                rates.subList(1, rates.size()),
                workload.perStep(job.schedule().momenta(epoch, updates, job.epochs())));
    }

    /// @param step of any epoch; all have the same number
    double learningRate(long step) {
        return learningRates[Math.floorMod(step, learningRates.length)];
    }
}
