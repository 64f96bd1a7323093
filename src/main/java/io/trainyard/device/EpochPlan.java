package io.trainyard.device;

import io.trainyard.random.TorchRandom;

/// What differs from epoch to epoch.
///
/// @param order the training samples' indices in the order they are visited, each once
/// @param learningRates one for each step of the epoch; they take the place of the optimizer's own
/// @param random draws the dropout masks: the session takes them from it while it trains, step after step and within a
///     step layer after layer, with [TorchRandom#dropoutMask]; after the epoch's last step it stands behind them all
public record EpochPlan(int[] order, double[] learningRates, TorchRandom random) {}
