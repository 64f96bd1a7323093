package io.trainyard.spec;

/// The mask that a layer draws anew in every training step. One of its values may stand for several neighbours of the
/// layer's input: `dropout2d` has one for all of a channel.
///
/// @param p the probability of a value to be zero; above 0
/// @param elements of one sample's mask
public record MaskSpec(double p, int elements) {}
