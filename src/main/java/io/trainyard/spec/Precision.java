package io.trainyard.spec;

import com.fasterxml.jackson.annotation.JsonProperty;

/// What a device computes convolutions and products with. Parameters, their updates and the loss are float32 in each.
public enum Precision {
    /// float32 throughout.
    @JsonProperty("fp32")
    FP32("fp32"),

    /// float32, but factors are rounded to NVIDIA's TensorFloat-32: 8 bits of exponent, 10 of mantissa.
    @JsonProperty("tf32")
    TF32("tf32"),

    /// Activations and factors are bfloat16: 8 bits of exponent, 7 of mantissa.
    @JsonProperty("bf16")
    BF16("bf16");

    private final String label;

    Precision(String label) {
        this.label = label;
    }

    /// As jobs call it: `fp32`.
    @Override
    public String toString() {
        return label;
    }
}
