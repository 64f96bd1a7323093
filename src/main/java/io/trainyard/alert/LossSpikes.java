package io.trainyard.alert;

import java.util.Arrays;
import java.util.OptionalDouble;

/// Finds losses far above the preceding ones by the robust z-score, 0.6745 (x - median) / MAD. Median and MAD
/// (median absolute deviation) are those of a window of preceding losses, so a few outliers hardly change them;
/// for normally distributed noise, MAD / 0.6745 is the standard deviation. x is the median of the last five
/// losses: one hard batch is not a spike, three of five are.
///
/// Median and MAD are computed again after every sixteenth of a window. No spike is reported before the first
/// window is full, and after a spike for as many losses, so a loss that stays high is reported once.
final class LossSpikes {
    private static final double SIGMAS_OF_MAD = 0.6745;

    /// The minimum MAD as a part of the median, for losses that hardly vary.
    private static final double LEAST_MAD = 1e-2;

    private static final int ROUNDS = 16;

    /// The number of last losses with the median x.
    private static final int LAST = 5;

    private final double score;
    private final float[] window;
    private final float[] last = new float[LAST];
    private long taken;
    private long quietUntil;
    private double median;
    private double mad;

    LossSpikes(double score, int window) {
        this.score = score;
        this.window = new float[window];
        quietUntil = window;
    }

    /// Adds the next loss.
    ///
    /// @return its score if it is a spike
    OptionalDouble take(float loss) {
        if (!Float.isFinite(loss)) {
            return OptionalDouble.empty(); // the job fails with it
        }
        OptionalDouble spike = OptionalDouble.empty();
        last[(int) (taken % LAST)] = loss;
        if (taken >= quietUntil) {
            float[] sorted = last.clone();
            Arrays.sort(sorted);
            double found = SIGMAS_OF_MAD * (middle(sorted) - median) / mad;
            if (found >= score) {
                spike = OptionalDouble.of(found);
                quietUntil = taken + window.length;
            }
        }
        window[(int) (taken % window.length)] = loss;
        taken++;
        if (taken >= window.length && taken % Math.max(1, window.length / ROUNDS) == 0 || taken == window.length) {
            measure();
        }
        return spike;
    }

    private void measure() {
        float[] sorted = window.clone();
        Arrays.sort(sorted);
        median = middle(sorted);
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = (float) Math.abs(sorted[i] - median);
        }
        Arrays.sort(sorted);
        mad = Math.max(middle(sorted), Math.max(LEAST_MAD * Math.abs(median), Float.MIN_NORMAL));
    }

    private static double middle(float[] sorted) {
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + (double) sorted[half]) / 2;
    }

    double median() {
        return median;
    }
}
