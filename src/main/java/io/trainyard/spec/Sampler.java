package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonProperty;

/// How the samples of an epoch are drawn, instead of each once.
public enum Sampler {
    /// PyTorch's `WeightedRandomSampler(weights, len(train), replacement=True)`, where a sample's weight is 1 / the
    /// number of training samples of its class.
    @JsonProperty("balanced")
    BALANCED
}
