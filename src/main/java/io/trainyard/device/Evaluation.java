package io.trainyard.device;

import io.trainyard.data.Dataset;
import java.util.Arrays;
import java.util.stream.IntStream;

/// The result of a pass over the test samples.
///
/// @param sampleLossSum the sum of the samples' losses
/// @param weight [SampleWeights#sum] of all samples
/// @param testLossSum the sum of the batches' mean losses, as PyTorch's tutorials print it: it grows with the
///     number of batches
/// @param confusion samples by (true class, predicted class); empty for regression
/// @param absoluteErrorSum of all predicted numbers; 0 for classes
public record Evaluation(
        double sampleLossSum, double weight, double testLossSum, int[][] confusion, double absoluteErrorSum) {
    /// @param losses each test sample's loss, in order
    /// @param predictions each sample's class with the largest logit; the first of equals
    public static Evaluation of(Workload workload, float[] losses, int[] predictions) {
        int classes = workload.network().classes();
        int[] labels = workload.dataset().test().labels();
        int[][] confusion = new int[classes][classes];
        for (int i = 0; i < predictions.length; i++) {
            confusion[labels[i]][predictions[i]]++;
        }
        return of(workload, losses, confusion);
    }

    /// @param losses each test sample's loss, in order
    /// @param confusion samples by (true class, predicted class)
    public static Evaluation of(Workload workload, float[] losses, int[][] confusion) {
        return of(workload, losses, confusion, 0);
    }

    /// For regression.
    ///
    /// @param losses each test sample's loss, in order
    /// @param absoluteErrors of each sample, summed over its numbers
    public static Evaluation ofNumbers(Workload workload, float[] losses, float[] absoluteErrors) {
        double sum = 0;
        for (float error : absoluteErrors) {
            sum += error;
        }
        return of(workload, losses, new int[0][], sum);
    }

    private static Evaluation of(Workload workload, float[] losses, int[][] confusion, double absoluteErrorSum) {
        SampleWeights weights = workload.sampleWeights();
        Dataset.Split test = workload.dataset().test();
        double all = 0;
        double allWeights = 0;
        double sum = 0;
        for (int from = 0; from < losses.length; from += workload.batchSize()) {
            int to = Math.min(losses.length, from + workload.batchSize());
            double batch = 0;
            for (int i = from; i < to; i++) {
                batch += losses[i];
            }
            double weight = weights.sum(test, from, to);
            all += batch;
            allWeights += weight;
            sum += weight == 0 ? Double.NaN : batch / weight; // all its samples have weight 0
        }
        return new Evaluation(all, allWeights, sum, confusion, absoluteErrorSum);
    }

    /// Combines two results; all test sets except the last must consist of whole batches.
    public Evaluation plus(Evaluation other) {
        int[][] both = new int[confusion.length][];
        Arrays.setAll(both, label -> {
            int[] row = confusion[label].clone();
            Arrays.setAll(row, predicted -> row[predicted] + other.confusion[label][predicted]);
            return row;
        });
        return new Evaluation(
                sampleLossSum + other.sampleLossSum,
                weight + other.weight,
                testLossSum + other.testLossSum,
                both,
                absoluteErrorSum + other.absoluteErrorSum);
    }

    public double testLoss() {
        return sampleLossSum / weight;
    }

    public boolean isRegression() {
        return confusion.length == 0;
    }

    public double meanAbsoluteError() {
        return absoluteErrorSum / weight;
    }

    /// 0..1; NaN for regression.
    public double accuracy() {
        int right =
                IntStream.range(0, confusion.length).map(c -> confusion[c][c]).sum();
        return (double) right / samples();
    }

    /// For each class, the share of its samples that is classified correctly, 0..1; 0 for classes without test
    /// samples.
    public double[] classAccuracy() {
        return IntStream.range(0, confusion.length)
                .mapToDouble(c -> confusion[c][c] / (double) Math.max(1, samples(c)))
                .toArray();
    }

    private int samples() {
        return IntStream.range(0, confusion.length).map(this::samples).sum();
    }

    private int samples(int label) {
        return IntStream.of(confusion[label]).sum();
    }
}
