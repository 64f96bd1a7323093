package io.trainyard.tracking;

/// The learning rate of a step.
public record RatePoint(long step, double learningRate) {}
