package io.trainyard.training;

import org.apache.commons.math3.stat.descriptive.rank.PSquarePercentile;

/// How long steps take: median, 95th and 99th percentile, in constant memory by Jain and Chlamtac's P-square
/// estimate (CACM 1985). Steps of a block count as equally long.
final class StepTimes {
    private final PSquarePercentile median = new PSquarePercentile(50);
    private final PSquarePercentile p95 = new PSquarePercentile(95);
    private final PSquarePercentile p99 = new PSquarePercentile(99);

    /// Takes in a block of `steps` steps that took `micros` together.
    void took(int steps, long micros) {
        double each = micros / (double) steps;
        for (int i = 0; i < steps; i++) {
            median.increment(each);
            p95.increment(each);
            p99.increment(each);
        }
    }

    /// In microseconds; 0 without a step.
    double median() {
        return median.getN() == 0 ? 0 : median.getResult();
    }

    /// In microseconds; 0 without a step. Estimates of their own could cross, percentiles cannot.
    double p95() {
        return p95.getN() == 0 ? 0 : Math.max(median(), p95.getResult());
    }

    /// In microseconds; 0 without a step.
    double p99() {
        return p99.getN() == 0 ? 0 : Math.max(p95(), p99.getResult());
    }
}
