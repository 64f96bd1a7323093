package io.trainyard.device.host;

import io.trainyard.data.Dataset;
import io.trainyard.device.Workload;
import io.trainyard.spec.LossSpec;

/// The loss of a batch and its gradient, in plain Java and double precision: a row of outputs is a few values wide. Has
/// scratch memory of its own, so each thread needs one.
public sealed interface BatchLoss permits CrossEntropy, MeanSquaredError {
    static BatchLoss of(Workload workload) {
        int outputs = workload.network().classes();
        return switch (workload.loss()) {
            case LossSpec.CrossEntropy loss -> new CrossEntropy(loss, outputs);
            case LossSpec.MeanSquaredError _ -> new MeanSquaredError(outputs);
        };
    }

    /// Puts the gradient of the batch's mean loss by the outputs in the outputs' place.
    ///
    /// @param outputs (samples, outputs), row-major; of a batch, or of a part of one
    /// @param split where the targets of the samples `order[from]` and following are
    /// @param samples how many rows
    /// @param batchWeight [io.trainyard.device.SampleWeights#sum] of the whole batch
    /// @return the sum of the samples' losses
    double lossWithGradient(
            float[] outputs, Dataset.Split split, int[] order, int from, int samples, double batchWeight);

    /// Fills in the results of the test samples `from` and following.
    ///
    /// @param outputs (samples, outputs), row-major
    void evaluate(float[] outputs, Dataset.Split test, int from, int samples, Tested results);

    /// Fills in the predictions of the samples `from` and following.
    ///
    /// @param outputs (samples, outputs), row-major
    /// @param predictions (all samples, outputs), row-major: probabilities of classes, or numbers
    void predict(float[] outputs, int from, int samples, float[] predictions);

    /// What tests tell of each sample.
    ///
    /// @param losses each sample's
    /// @param classes each sample's predicted class, where classes are predicted
    /// @param absoluteErrors each sample's, of all its numbers together, where numbers are predicted
    record Tested(float[] losses, int[] classes, float[] absoluteErrors) {}
}
