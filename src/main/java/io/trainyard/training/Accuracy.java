package io.trainyard.training;

import org.apache.commons.math3.stat.interval.ConfidenceInterval;
import org.apache.commons.math3.stat.interval.WilsonScoreInterval;

/// The accuracy on a test set with its 95 % Wilson score interval.
///
/// @param value 0..1
/// @param low 0..1
/// @param high 0..1
record Accuracy(double value, double low, double high) {
    private static final double CONFIDENCE = 0.95;

    /// @param confusion samples by (true class, predicted class); at least one
    static Accuracy of(int[][] confusion) {
        int right = 0;
        int all = 0;
        for (int label = 0; label < confusion.length; label++) {
            right += confusion[label][label];
            for (int count : confusion[label]) {
                all += count;
            }
        }
        ConfidenceInterval interval = new WilsonScoreInterval().createInterval(all, right, CONFIDENCE);
        double low = right == 0 ? 0 : interval.getLowerBound(); // exact at both ends, without rounding errors
        double high = right == all ? 1 : interval.getUpperBound();
        return new Accuracy((double) right / all, low, high);
    }
}
