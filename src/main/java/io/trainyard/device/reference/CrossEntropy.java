package io.trainyard.device.reference;

import io.trainyard.spec.LossSpec;

/// [LossSpec.CrossEntropy]: with logits z and true class t, -log p[k] is log(sum of exp z) - z[k]. The largest logit is
/// taken out of the sum, so that no exponential overflows.
final class CrossEntropy {
    private final double smoothing;
    private final float[] weights; // (classes)
    private final int classes;

    CrossEntropy(LossSpec.CrossEntropy loss, int classes) {
        this.smoothing = loss.labelSmoothing();
        this.weights = loss.weights(classes);
        this.classes = classes;
    }

    /// Of one sample.
    ///
    /// @param logits (samples, classes)
    /// @param from the index of the sample's first logit
    double loss(float[] logits, int from, int label) {
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

    /// The derivative of the batch's mean loss by the logits. That of -log p[k] is softmax z - [it is z[k]].
    ///
    /// @param batchWeight what the samples' losses are divided by
    float[] gradient(float[] logits, int[] labels, double batchWeight) {
        float[] gradient = new float[logits.length];
        for (int n = 0; n < labels.length; n++) {
            double log = logSumExp(logits, n * classes, classes);
            for (int k = 0; k < classes; k++) {
                double probability = Math.exp(logits[n * classes + k] - log);
                double sum = (1 - smoothing) * weights[labels[n]] * (probability - (k == labels[n] ? 1 : 0));
                for (int of = 0; of < classes; of++) {
                    sum += smoothing / classes * weights[of] * (probability - (k == of ? 1 : 0));
                }
                gradient[n * classes + k] = (float) (sum / batchWeight);
            }
        }
        return gradient;
    }

    /// Each class's probability: exp z / sum of exp z.
    ///
    /// @param logits (samples, classes)
    static float[] probabilities(float[] logits, int classes) {
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
    static int prediction(float[] logits, int from, int classes) {
        int best = 0;
        for (int k = 1; k < classes; k++) {
            if (logits[from + k] > logits[from + best]) {
                best = k;
            }
        }
        return best;
    }
}
