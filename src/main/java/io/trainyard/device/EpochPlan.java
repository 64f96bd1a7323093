package io.trainyard.device;

import io.trainyard.random.TorchRandom;
import io.trainyard.spec.OptimizerSpec;

/// What differs from epoch to epoch.
///
/// @param order the training samples' indices in the order they are visited, each once
/// @param learningRates one for each step of the epoch; they take the place of the optimizer's own
/// @param momenta one for each step of the epoch, which take the place of the optimizer's own; empty where
///     that stays
/// @param random what the session draws from while it trains, step after step: how the step's samples are
///     augmented, with [Augmentation#draw], then layer after layer the dropout masks, with
///     [TorchRandom#dropoutMask]. After the epoch's last step it stands behind them all
public record EpochPlan(int[] order, double[] learningRates, double[] momenta, TorchRandom random) {
    /// With the optimizer's own momentum in every step.
    public EpochPlan(int[] order, double[] learningRates, TorchRandom random) {
        this(order, learningRates, new double[0], random);
    }

    /// The optimizer with the momentum that a step has.
    ///
    /// @param step of the epoch
    public OptimizerSpec inStep(OptimizerSpec optimizer, int step) {
        return momenta.length == 0 ? optimizer : optimizer.withMomentum(momenta[step]);
    }

    /// The same with another generator.
    public EpochPlan withRandom(TorchRandom other) {
        return new EpochPlan(order, learningRates, momenta, other);
    }
}
