package io.trainyard.spec;

/// A random mask that a layer draws in every training step. One mask value may apply to several adjacent inputs:
/// `dropout2d` has one for each channel.
///
/// @param p the probability that a value is zero; above 0
/// @param elements of one sample's mask
public record MaskSpec(double p, int elements) {}
