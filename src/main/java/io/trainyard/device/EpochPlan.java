package io.trainyard.device;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.OptimizerSpec;
import java.util.List;

/// The data of one epoch.
///
/// @param order the training samples' indices in the order they are visited
/// @param learningRates one for each step of the epoch; they replace the optimizer's own
/// @param groupRates those of each of the optimizer's groups after the first; empty without groups
/// @param momenta one for each step of the epoch; they replace the optimizer's own; empty to keep it
/// @param random the generator of the session's training: in each step it draws first the augmentation, with
///     [Augmentation#draw], then layer by layer the dropout masks, with [TorchRandom#dropoutMask]. After the epoch
///     it is positioned after the last of them
public record EpochPlan(
        int[] order, double[] learningRates, List<double[]> groupRates, double[] momenta, TorchRandom random) {
    /// Without groups.
    public EpochPlan(int[] order, double[] learningRates, double[] momenta, TorchRandom random) {
        this(order, learningRates, List.of(), momenta, random);
    }

    /// With the optimizer's own momentum in every step.
    public EpochPlan(int[] order, double[] learningRates, TorchRandom random) {
        this(order, learningRates, new double[0], random);
    }

    /// The options of a group with the momentum of a step.
    ///
    /// @param step of the epoch
    public OptimizerSpec inStep(OptimizerSpec optimizer, int group, int step) {
        return (momenta.length == 0 ? optimizer : optimizer.withMomentum(momenta[step])).ofGroup(group);
    }

    /// The learning rate of a group.
    ///
    /// @param step of the epoch
    public double learningRate(int group, int step) {
        return (group == 0 ? learningRates : groupRates.get(group - 1))[step];
    }

    public EpochPlan withRandom(TorchRandom other) {
        return new EpochPlan(order, learningRates, groupRates, momenta, other);
    }
}
