package io.trainyard.device.onednn;

/// The loss of a batch and its gradient. A row is a few classes wide, so this is plain Java in double precision.
final class CrossEntropy {
    private final int classes;
    private final float[] logits; // (batch, classes)
    private final double[] exponentials;

    CrossEntropy(int batchSize, int classes) {
        this.classes = classes;
        this.logits = new float[batchSize * classes];
        this.exponentials = new double[classes];
    }

    /// Reads the program's logits and puts the mean loss's gradient into its place.
    ///
    /// @param labels at least as many as the program's batch has samples
    /// @return the mean over the batch
    float lossWithGradient(Program program, int[] labels) {
        program.logits().read(logits);
        int batchSize = program.batchSize();
        double sum = 0;
        for (int n = 0; n < batchSize; n++) {
            double total = exponentiate(n);
            sum += Math.log(total) - shifted(n, labels[n]);
            for (int c = 0; c < classes; c++) {
                double target = c == labels[n] ? 1 : 0;
                logits[n * classes + c] = (float) ((exponentials[c] / total - target) / batchSize);
            }
        }
        program.logitsGradient().write(logits);
        return (float) (sum / batchSize);
    }

    /// Reads the program's logits; fills its samples' losses and predictions, from index `from` on.
    void evaluate(Program program, int[] labels, int from, float[] losses, int[] predictions) {
        program.logits().read(logits);
        for (int n = 0; n < program.batchSize(); n++) {
            double total = exponentiate(n);
            losses[from + n] = (float) (Math.log(total) - shifted(n, labels[n]));
            predictions[from + n] = largest(n);
        }
    }

    /// Fills `exponentials` with those of a row whose largest logit was moved to 0, so that none overflows.
    ///
    /// @return their sum
    private double exponentiate(int row) {
        double total = 0;
        double top = logits[row * classes + largest(row)];
        for (int c = 0; c < classes; c++) {
            exponentials[c] = Math.exp(logits[row * classes + c] - top);
            total += exponentials[c];
        }
        return total;
    }

    private double shifted(int row, int label) {
        return (double) logits[row * classes + label] - logits[row * classes + largest(row)];
    }

    /// The first of equals.
    private int largest(int row) {
        int best = 0;
        for (int c = 1; c < classes; c++) {
            if (logits[row * classes + c] > logits[row * classes + best]) {
                best = c;
            }
        }
        return best;
    }
}
