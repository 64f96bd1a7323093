package io.trainyard.training;

import org.apache.commons.math3.stat.descriptive.DescriptiveStatistics;

/// How long steps take: median, 95th and 99th percentile over the newest blocks of steps. A block counts once, with
/// the mean of its steps, which cannot be told apart.
final class StepTimes {
    /// Blocks that are kept: at ten a second about a quarter of an hour.
    private static final int BLOCKS = 10_000;

    private final DescriptiveStatistics micros = new DescriptiveStatistics(BLOCKS);

    /// Takes in a block of `steps` steps that took `blockMicros` together.
    void took(int steps, long blockMicros) {
        micros.addValue(blockMicros / (double) steps);
    }

    /// In microseconds; 0 without a step.
    double median() {
        return percentile(50);
    }

    /// In microseconds; 0 without a step.
    double p95() {
        return percentile(95);
    }

    /// In microseconds; 0 without a step.
    double p99() {
        return percentile(99);
    }

    private double percentile(int percent) {
        return micros.getN() == 0 ? 0 : micros.getPercentile(percent);
    }
}
