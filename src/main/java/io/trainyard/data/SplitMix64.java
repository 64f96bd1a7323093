package io.trainyard.data;

/// The random numbers of the generated datasets: Sebastiano Vigna's public-domain SplitMix64
/// (https://prng.di.unimi.it/splitmix64.c). Implemented here because the pixels must be the same bits on every
/// machine and Java version, which the JDK's generators do not guarantee for bounded numbers.
final class SplitMix64 {
    private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

    private long state;

    SplitMix64(long seed) {
        state = seed;
    }

    /// A generator for one index under a seed; adjacent indices give unrelated numbers.
    static SplitMix64 at(long seed, long index) {
        return new SplitMix64(mix(seed + mix(index + GOLDEN_GAMMA)));
    }

    long next() {
        state += GOLDEN_GAMMA;
        return mix(state);
    }

    /// 0 to `bound - 1`; the bias of the multiplication (below `bound / 2^32`) does not matter for pictures.
    int below(int bound) {
        return (int) (((next() >>> 32) * bound) >>> 32);
    }

    /// Uniform in `min` to `max`, of 53 random bits.
    double between(double min, double max) {
        return min + (max - min) * ((next() >>> 11) * 0x1p-53);
    }

    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
