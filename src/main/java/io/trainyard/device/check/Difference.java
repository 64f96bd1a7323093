package io.trainyard.device.check;

/// A value and the expected one.
///
/// @param value its name: `gradient 0.weight[3]`
/// @param allowed the largest allowed difference
public record Difference(String value, double expected, double actual, double allowed) {
    /// Whether the difference is too large. A non-finite value is right only if it equals the expected one and a
    /// tolerance exists.
    public boolean exceeds() {
        return !(error() <= allowed);
    }

    public double error() {
        return Double.compare(actual, expected) == 0 ? 0 : Math.abs(actual - expected);
    }

    /// The error relative to the tolerance; infinite if it is NaN.
    double share() {
        if (error() == 0) {
            return 0;
        }
        double share = error() / allowed;
        return Double.isNaN(share) ? Double.POSITIVE_INFINITY : share;
    }

    @Override
    public String toString() {
        return "%s is %s, expected is %s within %.1e".formatted(value, actual, expected, allowed);
    }
}
