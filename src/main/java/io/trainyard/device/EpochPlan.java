package io.trainyard.device;

/// All that is random about an epoch, drawn beforehand so that a session is a plain function of what it is given.
///
/// @param order the training samples' indices in the order they are visited, each once
/// @param maskSeeds one 32-bit seed for each dropout layer of each step: (steps, masks a step), the first step's first.
///     [MaskStream] says how a seed becomes a mask
public record EpochPlan(int[] order, int[] maskSeeds) {}
