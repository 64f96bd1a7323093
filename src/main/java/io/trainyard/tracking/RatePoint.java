package io.trainyard.tracking;

public record RatePoint(long step, double learningRate) {}
