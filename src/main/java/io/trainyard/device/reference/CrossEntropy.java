package io.trainyard.device.reference;

/// The loss of one sample with logits z and true class t: log(sum of exp z) - z[t]. The largest logit is taken
/// out of the sum, so that no exponential overflows.
final class CrossEntropy {
    private CrossEntropy() {}

    /// @param logits (samples, classes)
    /// @param from the index of the sample's first logit
    static double loss(float[] logits, int from, int classes, int label) {
        return logSumExp(logits, from, classes) - logits[from + label];
    }

    /// The derivative of the batch's mean loss by the logits: (softmax z - [class is t]) / samples.
    static float[] gradient(float[] logits, int classes, int[] labels) {
        float[] gradient = new float[logits.length];
        for (int n = 0; n < labels.length; n++) {
            double log = logSumExp(logits, n * classes, classes);
            for (int k = 0; k < classes; k++) {
                double probability = Math.exp(logits[n * classes + k] - log);
                gradient[n * classes + k] = (float) ((probability - (k == labels[n] ? 1 : 0)) / labels.length);
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
