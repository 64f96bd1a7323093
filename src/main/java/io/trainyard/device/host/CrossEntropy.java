package io.trainyard.device.host;

import io.trainyard.data.Dataset;
import io.trainyard.spec.LossSpec;

/// [LossSpec.CrossEntropy] of a batch and its gradient. A row is a few classes wide, so this is plain Java in double
/// precision.
public final class CrossEntropy {
    private final int classes;
    private final float[] weights; // (classes)
    private final double hard; // how much a sample's own class counts
    private final double spread; // how much each class counts besides
    private final double spreadOfAll; // times the sum of the weights
    private final double[] exponentials;

    public CrossEntropy(LossSpec.CrossEntropy loss, int classes) {
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

    /// Puts the gradient of the batch's mean loss by the logits in the logits' place.
    ///
    /// @param logits (samples, classes), row-major; of a batch, or of a part of one
    /// @param split where the labels of the samples `order[from]` and following are
    /// @param samples how many rows
    /// @param batchWeight [io.trainyard.device.SampleWeights#sum] of the whole batch
    /// @return the sum of the samples' losses
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

    /// Of the sample whose logits begin at `row`.
    ///
    /// @param top the largest of them
    /// @param total what [#exponentiate] gave
    private double loss(float[] logits, int row, int label, double top, double total) {
        double log = Math.log(total);
        double loss = hard * weights[label] * (log - (logits[row + label] - top));
        for (int c = 0; spread > 0 && c < classes; c++) {
            loss += spread * weights[c] * (log - (logits[row + c] - top));
        }
        return loss;
    }

    /// Fills the losses and predictions of the test samples `from` and following.
    ///
    /// @param logits (samples, classes), row-major
    public void evaluate(float[] logits, Dataset.Split test, int from, int samples, float[] losses, int[] predictions) {
        int[] labels = test.labels();
        for (int n = 0; n < samples; n++) {
            int label = labels[from + n];
            int row = n * classes;
            int best = largest(logits, row);
            double top = logits[row + best];
            losses[from + n] = (float) loss(logits, row, label, top, exponentiate(logits, row, top));
            predictions[from + n] = best;
        }
    }

    /// Fills the probabilities of the samples `from` and following: the softmax of each row of logits.
    ///
    /// @param logits (samples, classes), row-major
    /// @param probabilities (all samples, classes), row-major
    public void probabilities(float[] logits, int from, int samples, float[] probabilities) {
        for (int n = 0; n < samples; n++) {
            int row = n * classes;
            double total = exponentiate(logits, row, logits[row + largest(logits, row)]);
            for (int c = 0; c < classes; c++) {
                probabilities[(from + n) * classes + c] = (float) (exponentials[c] / total);
            }
        }
    }

    /// Fills `exponentials` with those of a row whose largest logit was moved to 0, so that none overflows.
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
