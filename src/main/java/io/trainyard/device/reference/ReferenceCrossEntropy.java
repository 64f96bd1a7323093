package io.trainyard.device.reference;

import io.trainyard.data.Dataset;
import io.trainyard.device.Evaluation;
import io.trainyard.device.Workload;
import io.trainyard.spec.LossSpec;

/// [LossSpec.CrossEntropy]: for logits z and true class t, -log p[k] is log(sum of exp z) - z[k]. The largest logit
/// is subtracted before the sum, so that no exponential overflows.
final class ReferenceCrossEntropy implements ReferenceLoss {
    private final double smoothing;
    private final float[] weights; // (classes)
    private final int classes;

    ReferenceCrossEntropy(LossSpec.CrossEntropy loss, int classes) {
        this.smoothing = loss.labelSmoothing();
        this.weights = loss.weights(classes);
        this.classes = classes;
    }

    @Override
    public double sum(float[] logits, Dataset.Split split, int[] samples) {
        double sum = 0;
        for (int n = 0; n < samples.length; n++) {
            sum += loss(logits, n * classes, split.labels()[samples[n]]);
        }
        return sum;
    }

    @Override
    public Evaluation evaluate(float[] logits, Workload workload) {
        int[] labels = workload.dataset().test().labels();
        float[] losses = new float[labels.length];
        int[] predictions = new int[labels.length];
        for (int n = 0; n < labels.length; n++) {
            losses[n] = (float) loss(logits, n * classes, labels[n]);
            predictions[n] = prediction(logits, n * classes, classes);
        }
        return Evaluation.of(workload, losses, predictions);
    }

    /// The loss of one sample.
    ///
    /// @param logits (samples, classes)
    /// @param from the index of the sample's first logit
    private double loss(float[] logits, int from, int label) {
        double log = logSumExp(logits, from, classes);
        double ofClass = weights[label] * (log - logits[from + label]);
        if (smoothing == 0) {
            return ofClass;
        }
        double ofAll = 0;
        for (int k = 0; k < classes; k++) {
            ofAll += weights[k] * (log - logits[from + k]);
        }
        return (1 - smoothing) * ofClass + smoothing / classes * ofAll;
    }

    /// The derivative of -log p[k] is softmax z - [it is z[k]].
    @Override
    public float[] gradient(float[] logits, Dataset.Split split, int[] samples, double batchWeight) {
        float[] gradient = new float[logits.length];
        for (int n = 0; n < samples.length; n++) {
            int label = split.labels()[samples[n]];
            double log = logSumExp(logits, n * classes, classes);
            for (int k = 0; k < classes; k++) {
                double probability = Math.exp(logits[n * classes + k] - log);
                double sum = (1 - smoothing) * weights[label] * (probability - (k == label ? 1 : 0));
                for (int of = 0; of < classes; of++) {
                    sum += smoothing / classes * weights[of] * (probability - (k == of ? 1 : 0));
                }
                gradient[n * classes + k] = (float) (sum / batchWeight);
            }
        }
        return gradient;
    }

    /// Each class's probability: exp z / sum of exp z.
    @Override
    public float[] predict(float[] logits) {
        float[] probabilities = new float[logits.length];
        for (int i = 0; i < logits.length; i++) {
            int row = i / classes * classes;
            probabilities[i] = (float) Math.exp(logits[i] - logSumExp(logits, row, classes));
        }
        return probabilities;
    }

    private static double logSumExp(float[] logits, int from, int classes) {
        float largest = logits[from + prediction(logits, from, classes)];
        double sum = 0;
        for (int k = 0; k < classes; k++) {
            sum += Math.exp((double) logits[from + k] - largest);
        }
        return largest + Math.log(sum);
    }

    /// The class with the largest logit; the first of equals.
    private static int prediction(float[] logits, int from, int classes) {
        int best = 0;
        for (int k = 1; k < classes; k++) {
            if (logits[from + k] > logits[from + best]) {
                best = k;
            }
        }
        return best;
    }
}
