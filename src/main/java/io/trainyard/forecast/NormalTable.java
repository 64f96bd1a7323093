package io.trainyard.forecast;

/// Numbers of a normal distribution, and others, that depend on nothing but what they are asked for: the same job has
/// the same luck in the same draw, whichever jobs stand beside it, so that an estimate moves only with what is known.
final class NormalTable {
    private static final int BITS = 12;
    private static final int SIZE = 1 << BITS;
    private static final double REACH = 5;
    private static final double STEP = 1e-4;
    private static final double[] QUANTILES = quantiles();

    private NormalTable() {}

    /// The quantiles in the middle of as many parts of equal weight, by summing up the density.
    private static double[] quantiles() {
        double[] quantiles = new double[SIZE];
        double below = 0;
        int next = 0;
        for (double z = -REACH; next < SIZE && z < REACH; z += STEP) {
            below += STEP * Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
            while (next < SIZE && below >= (next + 0.5) / SIZE) {
                quantiles[next++] = z;
            }
        }
        return quantiles;
    }

    /// Mean 0, deviation 1.
    static double normal(long hash) {
        return QUANTILES[(int) (hash >>> (Long.SIZE - BITS))];
    }

    /// From 0 to below 1.
    static double uniform(long hash) {
        return (hash >>> 11) * 0x1p-53;
    }

    /// A hash of two numbers, by the finalizer of SplitMix64.
    static long mix(long one, long other) {
        long z = one + 0x9E3779B97F4A7C15L * (other + 1);
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
