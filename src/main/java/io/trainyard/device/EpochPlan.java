package io.trainyard.device;

import io.trainyard.random.TorchRandom;

/// What differs from epoch to epoch.
///
/// @param order the training samples' indices in the order they are visited, each once
/// @param learningRates one for each step of the epoch; they take the place of the optimizer's own
/// @param random what the session draws from while it trains, step after step: how the step's samples are
///     augmented, with [Augmentation#draw], then layer after layer the dropout masks, with
///     [TorchRandom#dropoutMask]. After the epoch's last step it stands behind them all
public record EpochPlan(int[] order, double[] learningRates, TorchRandom random) {}
