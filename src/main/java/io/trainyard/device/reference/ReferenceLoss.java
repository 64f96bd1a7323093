package io.trainyard.device.reference;

import io.trainyard.data.Dataset;
import io.trainyard.data.Targets;
import io.trainyard.device.Evaluation;
import io.trainyard.device.Workload;
import io.trainyard.spec.LossSpec;

/// A loss by its formula.
interface ReferenceLoss {
    static ReferenceLoss of(Workload workload) {
        int width = workload.network().classes();
        return switch (workload.loss()) {
            case LossSpec.CrossEntropy loss -> new ReferenceCrossEntropy(loss, width);
            case LossSpec.MeanSquaredError _ -> new MeanSquaredError(width);
        };
    }

    /// The sum of the losses of some samples.
    ///
    /// @param outputs (samples, outputs)
    /// @param split with the targets of `samples`
    double sum(float[] outputs, Dataset.Split split, int[] samples);

    /// The derivative of the batch's mean loss by the outputs.
    ///
    /// @param batchWeight divisor of the samples' losses
    float[] gradient(float[] outputs, Dataset.Split split, int[] samples, double batchWeight);

    /// @param outputs (samples, outputs), of all test samples
    Evaluation evaluate(float[] outputs, Workload workload);

    float[] predict(float[] outputs);

    /// `nn.MSELoss`.
    ///
    /// @param width numbers of a sample
    record MeanSquaredError(int width) implements ReferenceLoss {
        @Override
        public double sum(float[] outputs, Dataset.Split split, int[] samples) {
            double sum = 0;
            for (int i = 0; i < outputs.length; i++) {
                double difference = difference(outputs, split, samples, i);
                sum += difference * difference;
            }
            return sum;
        }

        @Override
        public float[] gradient(float[] outputs, Dataset.Split split, int[] samples, double batchWeight) {
            float[] gradient = new float[outputs.length];
            for (int i = 0; i < outputs.length; i++) {
                gradient[i] = (float) (2 * difference(outputs, split, samples, i) / batchWeight);
            }
            return gradient;
        }

        @Override
        public Evaluation evaluate(float[] outputs, Workload workload) {
            Dataset.Split test = workload.dataset().test();
            float[] losses = new float[test.size()];
            float[] errors = new float[test.size()];
            for (int n = 0; n < test.size(); n++) {
                for (int k = 0; k < width; k++) {
                    double difference = (double) outputs[n * width + k] - numbers(test)[n * width + k];
                    losses[n] += (float) (difference * difference);
                    errors[n] += (float) Math.abs(difference);
                }
            }
            return Evaluation.ofNumbers(workload, losses, errors);
        }

        @Override
        public float[] predict(float[] outputs) {
            return outputs;
        }

        private double difference(float[] outputs, Dataset.Split split, int[] samples, int i) {
            return (double) outputs[i] - numbers(split)[samples[i / width] * width + i % width];
        }

        private static float[] numbers(Dataset.Split split) {
            return ((Targets.Numbers) split.targets()).values();
        }
    }
}
