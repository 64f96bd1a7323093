package io.trainyard.device.host;

import io.trainyard.data.Dataset;
import io.trainyard.device.Workload;
import io.trainyard.spec.LossSpec;

/// The loss of a batch and its gradient, in plain Java and double precision, because rows of outputs are short. Has
/// scratch memory, so each thread needs its own instance.
public sealed interface BatchLoss permits CrossEntropy, MeanSquaredError {
    static BatchLoss of(Workload workload) {
        int outputs = workload.network().classes();
        return switch (workload.loss()) {
            case LossSpec.CrossEntropy loss -> new CrossEntropy(loss, outputs);
            case LossSpec.MeanSquaredError _ -> new MeanSquaredError(outputs);
        };
    }

    /// Replaces the outputs by the gradient of the batch's mean loss.
    ///
    /// @param outputs (samples, outputs), row-major; of a batch, or of a part of one
    /// @param split with the targets of the samples from `order[from]` on
    /// @param samples number of rows
    /// @param batchWeight [io.trainyard.device.SampleWeights#sum] of the whole batch
    /// @return the sum of the samples' losses
    double lossWithGradient(
            float[] outputs, Dataset.Split split, int[] order, int from, int samples, double batchWeight);

    /// Writes the results of the test samples from `from` on.
    ///
    /// @param outputs (samples, outputs), row-major
    void evaluate(float[] outputs, Dataset.Split test, int from, int samples, Tested results);

    /// Writes the predictions of the samples from `from` on.
    ///
    /// @param outputs (samples, outputs), row-major
    /// @param predictions (all samples, outputs), row-major: probabilities of classes, or numbers
    void predict(float[] outputs, int from, int samples, float[] predictions);

    /// Test results of each sample.
    ///
    /// @param losses of each sample
    /// @param classes the predicted class of each sample, for classification
    /// @param absoluteErrors of each sample, summed over its numbers, for regression
    record Tested(float[] losses, int[] classes, float[] absoluteErrors) {}
}
