package io.trainyard.spec;

/// The curve that learning rates and momenta are annealed along.
final class HalfCosine {
    private HalfCosine() {}

    /// Along half a cosine from `start` to `end`.
    ///
    /// @param part how much of the way is done, 0..1
    static double between(double start, double end, double part) {
        return end + (start - end) * height(part) / 2;
    }

    /// Of half a cosine, from 2 down to 0.
    static double height(double part) {
        return 1 + StrictMath.cos(Math.PI * part);
    }
}
