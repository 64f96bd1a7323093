package io.trainyard.device.check;

/// One value beside the expected one.
///
/// @param value what it is: `gradient 0.weight[3]`
/// @param allowed the largest distance there may be
public record Difference(String value, double expected, double actual, double allowed) {
    /// Whether it is too large. A value that is not finite is right if it is the expected one and there is something
    /// that is allowed.
    public boolean exceeds() {
        return !(error() <= allowed);
    }

    public double error() {
        return Double.compare(actual, expected) == 0 ? 0 : Math.abs(actual - expected);
    }

    /// The error in parts of what is allowed; infinite where it is not a number.
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
