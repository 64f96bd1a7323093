package io.trainyard.device.onednn.kernel;

import io.trainyard.spec.Precision;

/// What the values between layers, and the factors of convolutions and products, are made of. Parameters, their
/// gradients and what the optimizer keeps are float32 always.
public enum ValueType {
    FLOAT32(Float.BYTES),

    /// The upper half of a float32.
    BFLOAT16(Short.BYTES);

    private final int bytes;

    ValueType(int bytes) {
        this.bytes = bytes;
    }

    /// Processors have no TensorFloat-32: the device refuses it.
    public static ValueType of(Precision precision) {
        return switch (precision) {
            case FP32, TF32 -> FLOAT32;
            case BF16 -> BFLOAT16;
        };
    }

    public int bytes() {
        return bytes;
    }
}
