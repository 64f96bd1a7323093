package io.trainyard.device.check;

import io.trainyard.spec.Precision;

/// The allowed difference from an expected value: `absolute + relative * |expected|`.
public record Tolerance(double absolute, double relative) {
    /// For float32 sums in another order, over a few steps of networks with values of about 1.
    public static final Tolerance OF_FLOAT_SUMS = new Tolerance(1e-5, 1e-4);

    /// Factors are rounded by up to 2^-11, 5e-4.
    static final Tolerance OF_TF32 = new Tolerance(2e-3, 2e-2);

    /// Factors and activations are rounded by up to 2^-9, 2e-3, in each layer.
    static final Tolerance OF_BF16 = new Tolerance(1e-2, 1e-1);

    /// Accepts any finite value.
    static final Tolerance ANY_FINITE = new Tolerance(Double.MAX_VALUE, 0);

    /// For integers.
    static final Tolerance NONE = new Tolerance(0, 0);

    /// Between results in a precision and in float32.
    static Tolerance of(Precision precision) {
        return switch (precision) {
            case FP32 -> OF_FLOAT_SUMS;
            case TF32 -> OF_TF32;
            case BF16 -> OF_BF16;
        };
    }

    double allowed(double expected) {
        return absolute + relative * Math.abs(expected);
    }
}
