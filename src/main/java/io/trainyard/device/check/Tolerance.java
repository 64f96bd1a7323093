package io.trainyard.device.check;

/// How far a value may be from the expected one: `absolute + relative * |expected|`.
public record Tolerance(double absolute, double relative) {
    /// float32 sums in another order, over a few steps of networks whose values are about 1.
    public static final Tolerance OF_FLOAT_SUMS = new Tolerance(1e-5, 1e-4);

    /// Of whole numbers.
    static final Tolerance NONE = new Tolerance(0, 0);

    double allowed(double expected) {
        return absolute + relative * Math.abs(expected);
    }
}
