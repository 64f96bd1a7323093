package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonProperty;

/// The precision of convolutions and matrix products. Parameters, their updates and the loss are always float32.
public enum Precision {
    @JsonProperty("fp32")
    FP32("fp32"),

    /// float32 with factors rounded to NVIDIA's TensorFloat-32: 8 bits of exponent, 10 of mantissa.
    @JsonProperty("tf32")
    TF32("tf32"),

    /// Activations and factors are bfloat16: 8 bits of exponent, 7 of mantissa.
    @JsonProperty("bf16")
    BF16("bf16");

    private final String label;

    Precision(String label) {
        this.label = label;
    }

    @Override
    public String toString() {
        return label;
    }
}
