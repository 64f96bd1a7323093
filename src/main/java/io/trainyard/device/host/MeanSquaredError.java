package io.trainyard.device.host;

import io.trainyard.data.Dataset;
import io.trainyard.data.Targets;

final class MeanSquaredError implements BatchLoss {
    private final int width;

    MeanSquaredError(int width) {
        this.width = width;
    }

    @Override
    public double lossWithGradient(
            float[] outputs, Dataset.Split split, int[] order, int from, int samples, double batchWeight) {
        float[] targets = numbers(split);
        double sum = 0;
        for (int n = 0; n < samples; n++) {
            int target = order[from + n] * width;
            for (int k = 0; k < width; k++) {
                double difference = (double) outputs[n * width + k] - targets[target + k];
                sum += difference * difference;
                outputs[n * width + k] = (float) (2 * difference / batchWeight);
            }
        }
        return sum;
    }

    @Override
    public void evaluate(float[] outputs, Dataset.Split test, int from, int samples, Tested results) {
        float[] targets = numbers(test);
        for (int n = 0; n < samples; n++) {
            double squares = 0;
            double distances = 0;
            for (int k = 0; k < width; k++) {
                double difference = (double) outputs[n * width + k] - targets[(from + n) * width + k];
                squares += difference * difference;
                distances += Math.abs(difference);
            }
            results.losses()[from + n] = (float) squares;
            results.absoluteErrors()[from + n] = (float) distances;
        }
    }

    @Override
    public void predict(float[] outputs, int from, int samples, float[] predictions) {
        System.arraycopy(outputs, 0, predictions, from * width, samples * width);
    }

    private static float[] numbers(Dataset.Split split) {
        return switch (split.targets()) {
            case Targets.Numbers numbers -> numbers.values();
            case Targets.ClassLabels _ ->
                throw new IllegalStateException("the samples have classes, not numbers to predict");
        };
    }
}
