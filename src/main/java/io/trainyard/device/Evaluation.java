package io.trainyard.device;

import java.util.Arrays;
import java.util.stream.IntStream;

/// The result of a pass over the test set.
///
/// @param testLoss the mean loss of the samples
/// @param testLossSum the sum of the batches' mean losses, as the tutorials print it: it grows with the number of
///     batches
/// @param confusion samples by (true class, predicted class)
public record Evaluation(double testLoss, double testLossSum, int[][] confusion) {
    /// @param batchSize samples a batch; the last may be shorter
    /// @param losses each sample's cross-entropy, in the test set's order
    /// @param predictions each sample's class with the largest logit; the first of equals
    /// @param labels each sample's true class
    public static Evaluation of(int batchSize, int classes, float[] losses, int[] predictions, int[] labels) {
        int[][] confusion = new int[classes][classes];
        for (int i = 0; i < predictions.length; i++) {
            confusion[labels[i]][predictions[i]]++;
        }
        return of(batchSize, losses, confusion);
    }

    /// @param batchSize samples a batch; the last may be shorter
    /// @param losses each sample's cross-entropy, in the test set's order
    /// @param confusion samples by (true class, predicted class)
    public static Evaluation of(int batchSize, float[] losses, int[][] confusion) {
        double all = 0;
        double sum = 0;
        for (int from = 0; from < losses.length; from += batchSize) {
            int to = Math.min(losses.length, from + batchSize);
            double batch = 0;
            for (int i = from; i < to; i++) {
                batch += losses[i];
            }
            all += batch;
            sum += batch / (to - from);
        }
        return new Evaluation(all / losses.length, sum, confusion);
    }

    /// Of both test sets together, of which each but the last is whole batches.
    public Evaluation plus(Evaluation other) {
        int[][] both = new int[confusion.length][];
        Arrays.setAll(both, label -> {
            int[] row = confusion[label].clone();
            Arrays.setAll(row, predicted -> row[predicted] + other.confusion[label][predicted]);
            return row;
        });
        double loss = (samples() * testLoss + other.samples() * other.testLoss) / (samples() + other.samples());
        return new Evaluation(loss, testLossSum + other.testLossSum, both);
    }

    /// 0..1.
    public double accuracy() {
        int right =
                IntStream.range(0, confusion.length).map(c -> confusion[c][c]).sum();
        return (double) right / samples();
    }

    /// For each class, the part of its samples that is recognised, 0..1; 0 where the test set has none.
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
