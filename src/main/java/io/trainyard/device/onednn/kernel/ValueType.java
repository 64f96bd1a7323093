package io.trainyard.device.onednn.kernel;

import io.trainyard.spec.Precision;

/// The type of the values between layers, and of the factors of convolutions and products. Parameters, their
/// gradients and the optimizer state are always float32.
public enum ValueType {
    FLOAT32(Float.BYTES),

    /// The upper half of a float32.
    BFLOAT16(Short.BYTES);

    private final int bytes;

    ValueType(int bytes) {
        this.bytes = bytes;
    }

    /// CPUs have no TensorFloat-32, so the device refuses it.
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
