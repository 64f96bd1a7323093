package io.trainyard.device.host;

import io.trainyard.data.Dataset;
import io.trainyard.spec.LossSpec;

final class CrossEntropy implements BatchLoss {
    private final int classes;
    private final float[] weights; // (classes)
    private final double hard; // the share of a sample's own class
    private final double spread; // the additional share of each class
    private final double spreadOfAll; // times the sum of the weights
    private final double[] exponentials;

    CrossEntropy(LossSpec.CrossEntropy loss, int classes) {
        this.classes = classes;
        this.weights = loss.weights(classes);
        this.hard = 1 - loss.labelSmoothing();
        this.spread = loss.labelSmoothing() / classes;
        double all = 0;
        for (float weight : weights) {
            all += weight;
        }
        this.spreadOfAll = spread * all;
        this.exponentials = new double[classes];
    }

    @Override
    public double lossWithGradient(
            float[] logits, Dataset.Split split, int[] order, int from, int samples, double batchWeight) {
        int[] labels = split.labels();
        double sum = 0;
        for (int n = 0; n < samples; n++) {
            int label = labels[order[from + n]];
            int row = n * classes;
            double top = logits[row + largest(logits, row)];
            double total = exponentiate(logits, row, top);
            sum += loss(logits, row, label, top, total);
            double own = hard * weights[label];
            double scale = own + spreadOfAll;
            for (int c = 0; c < classes; c++) {
                double target = (c == label ? own : 0) + spread * weights[c];
                logits[row + c] = (float) ((scale * (exponentials[c] / total) - target) / batchWeight);
            }
        }
        return sum;
    }

    /// The loss of the sample with logits from `row` on.
    ///
    /// @param top the largest of them
    /// @param total the result of [#exponentiate]
    private double loss(float[] logits, int row, int label, double top, double total) {
        double log = Math.log(total);
        double loss = hard * weights[label] * (log - (logits[row + label] - top));
        for (int c = 0; spread > 0 && c < classes; c++) {
            loss += spread * weights[c] * (log - (logits[row + c] - top));
        }
        return loss;
    }

    @Override
    public void evaluate(float[] logits, Dataset.Split test, int from, int samples, Tested results) {
        int[] labels = test.labels();
        for (int n = 0; n < samples; n++) {
            int label = labels[from + n];
            int row = n * classes;
            int best = largest(logits, row);
            double top = logits[row + best];
            results.losses()[from + n] = (float) loss(logits, row, label, top, exponentiate(logits, row, top));
            results.classes()[from + n] = best;
        }
    }

    /// Probabilities: the softmax of each row of logits.
    @Override
    public void predict(float[] logits, int from, int samples, float[] probabilities) {
        for (int n = 0; n < samples; n++) {
            int row = n * classes;
            double total = exponentiate(logits, row, logits[row + largest(logits, row)]);
            for (int c = 0; c < classes; c++) {
                probabilities[(from + n) * classes + c] = (float) (exponentials[c] / total);
            }
        }
    }

    /// Fills `exponentials` for a row after subtracting the largest logit, so that none overflows.
    ///
    /// @return their sum
    private double exponentiate(float[] logits, int row, double top) {
        double total = 0;
        for (int c = 0; c < classes; c++) {
            exponentials[c] = Math.exp(logits[row + c] - top);
            total += exponentials[c];
        }
        return total;
    }

    /// The first of equals.
    private int largest(float[] logits, int row) {
        int best = 0;
        for (int c = 1; c < classes; c++) {
            if (logits[row + c] > logits[row + best]) {
                best = c;
            }
        }
        return best;
    }
}
