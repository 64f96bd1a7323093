package io.trainyard.spec;

/// The annealing curve of learning rates and momenta.
final class HalfCosine {
    private HalfCosine() {}

    /// Interpolates along half a cosine from `start` to `end`.
    ///
    /// @param part completed fraction, 0..1
    static double between(double start, double end, double part) {
        return end + (start - end) * height(part) / 2;
    }

    /// Falls from 2 to 0.
    static double height(double part) {
        return 1 + StrictMath.cos(Math.PI * part);
    }
}
