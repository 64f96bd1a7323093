package io.trainyard.event;

import io.trainyard.event.TrainingEvent.EpochTested;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.commons.math3.stat.interval.ConfidenceInterval;
import org.apache.commons.math3.stat.interval.WilsonScoreInterval;

/// Precision, recall and F1 of a test, from its confusion matrix. Classes without samples and predictions
/// are left out of the means, and a precision or recall without a denominator counts as 0, as in
/// scikit-learn and torchmetrics.
///
/// @param macroF1 the mean of the classes' F1
/// @param macroF1Low the lower end of its 95 % interval by the delta method (Takahashi et al., Applied Intelligence
/// 2022)
/// @param classes by label
public record ClassMetrics(
        double macroPrecision,
        double macroRecall,
        double macroF1,
        double macroF1Low,
        double macroF1High,
        List<OfClass> classes) {
    private static final int MAX_SAMPLES = 1_000_000_000;
    private static final double CONFIDENCE = 0.95;
    private static final double QUANTILE = 1.959963984540054;

    /// The metrics of a class, with 95 % Wilson score intervals of precision and recall.
    ///
    /// @param samples of this class
    /// @param predicted as this class
    public record OfClass(
            long samples,
            long predicted,
            double precision,
            double precisionLow,
            double precisionHigh,
            double recall,
            double recallLow,
            double recallHigh,
            double f1) {
        private boolean isCounted() {
            return samples + predicted > 0;
        }

        private static OfClass of(long right, long samples, long predicted) {
            Share precision = Share.of(right, predicted);
            Share recall = Share.of(right, samples);
            return new OfClass(
                    samples,
                    predicted,
                    precision.value(),
                    precision.low(),
                    precision.high(),
                    recall.value(),
                    recall.low(),
                    recall.high(),
                    samples + predicted == 0 ? 0 : 2.0 * right / (samples + predicted));
        }
    }

    private record Share(double value, double low, double high) {
        static Share of(long right, long all) {
            if (all == 0) {
                return new Share(0, 0, 1);
            }
            ConfidenceInterval interval = new WilsonScoreInterval().createInterval((int) all, (int) right, CONFIDENCE);
            return new Share(
                    (double) right / all,
                    right == 0 ? 0 : interval.getLowerBound(),
                    right == all ? 1 : interval.getUpperBound());
        }
    }

    /// Empty for regression, and if the event has no confusion matrix or an invalid one: any client can write to a
    /// topic.
    public static Optional<ClassMetrics> of(EpochTested tested) {
        int[][] confusion = tested.confusion();
        int all = 0;
        for (int[] row : confusion) {
            if (row == null || row.length != confusion.length) {
                return Optional.empty();
            }
            for (int count : row) {
                if (count < 0 || count > MAX_SAMPLES - all) {
                    return Optional.empty();
                }
                all += count;
            }
        }
        return all == 0 ? Optional.empty() : Optional.of(of(confusion));
    }

    private static List<OfClass> counts(int[][] confusion) {
        int labels = confusion.length;
        long[] samples = new long[labels];
        long[] predicted = new long[labels];
        for (int i = 0; i < labels; i++) {
            for (int j = 0; j < labels; j++) {
                samples[i] += confusion[i][j];
                predicted[j] += confusion[i][j];
            }
        }
        List<OfClass> classes = new ArrayList<>();
        for (int i = 0; i < labels; i++) {
            classes.add(OfClass.of(confusion[i][i], samples[i], predicted[i]));
        }
        return classes;
    }

    /// @param confusion samples by (true class, predicted class), square; at least one sample
    static ClassMetrics of(int[][] confusion) {
        List<OfClass> classes = counts(confusion);
        List<OfClass> counted = classes.stream().filter(OfClass::isCounted).toList();
        double all = classes.stream().mapToLong(OfClass::samples).sum();
        double f1 = counted.stream().mapToDouble(OfClass::f1).average().orElse(0);
        double half = QUANTILE * Math.sqrt(variance(confusion, classes, counted.size()) / all);
        return new ClassMetrics(
                counted.stream().mapToDouble(OfClass::precision).average().orElse(0),
                counted.stream().mapToDouble(OfClass::recall).average().orElse(0),
                f1,
                Math.max(0, f1 - half),
                Math.min(1, f1 + half),
                classes);
    }

    /// The macro F1 alone.
    ///
    /// @param confusion samples by (true class, predicted class), square
    public static double macroF1(int[][] confusion) {
        return counts(confusion).stream()
                .filter(OfClass::isCounted)
                .mapToDouble(OfClass::f1)
                .average()
                .orElse(0);
    }

    /// Without the classes, to keep many of them.
    public ClassMetrics withoutClasses() {
        return new ClassMetrics(macroPrecision, macroRecall, macroF1, macroF1Low, macroF1High, List.of());
    }

    /// The variance of the macro F1's derivative by the share of each cell, under the shares.
    private static double variance(int[][] confusion, List<OfClass> classes, int counted) {
        double all = classes.stream().mapToLong(OfClass::samples).sum();
        double mean = 0;
        double square = 0;
        for (int i = 0; i < confusion.length; i++) {
            for (int j = 0; j < confusion.length; j++) {
                if (confusion[i][j] > 0) {
                    double slope = (i == j ? 2 / weight(classes.get(i), all) : 0)
                            - classes.get(i).f1() / weight(classes.get(i), all)
                            - classes.get(j).f1() / weight(classes.get(j), all);
                    double share = confusion[i][j] / all;
                    mean += share * slope / counted;
                    square += share * slope / counted * slope / counted;
                }
            }
        }
        return Math.max(0, square - mean * mean);
    }

    private static double weight(OfClass one, double all) {
        return (one.samples() + one.predicted()) / all;
    }
}
