package io.trainyard.device;

import io.trainyard.random.TorchRandom;

/// What is random about an epoch.
///
/// @param order the training samples' indices in the order they are visited, each once
/// @param random draws the dropout masks: the session takes them from it while it trains, step after step and within a
///     step layer after layer, with [TorchRandom#dropoutMask]; after the epoch's last step it stands behind them all
public record EpochPlan(int[] order, TorchRandom random) {}
