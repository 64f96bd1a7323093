package io.trainyard.device;

import io.trainyard.data.Dataset;
import io.trainyard.spec.LossSpec;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The weight of each sample in a mean of losses: its class's weight, or 1 without class weights. For regression,
/// the number of outputs.
public final class SampleWeights {
    private final double ofEach;
    private final float @Nullable [] ofClasses;

    private SampleWeights(double ofEach, float @Nullable [] ofClasses) {
        this.ofEach = ofEach;
        this.ofClasses = ofClasses;
    }

    static SampleWeights of(LossSpec loss, int outputs) {
        return switch (loss) {
            case LossSpec.CrossEntropy(double _, var weights) when weights == null -> new SampleWeights(1, null);
            case LossSpec.CrossEntropy crossEntropy -> new SampleWeights(1, crossEntropy.weights(outputs));
            case LossSpec.MeanSquaredError _ -> new SampleWeights(outputs, null);
        };
    }

    /// The divisor of the mean loss of the samples from `order[from]` on.
    ///
    /// @param split with their labels
    public double sum(Dataset.Split split, int[] order, int from, int samples) {
        if (ofClasses == null) {
            return ofEach * samples;
        }
        int[] labels = split.labels();
        double sum = 0;
        for (int i = from; i < from + samples; i++) {
            sum += ofClasses[labels[order[i]]];
        }
        return sum;
    }

    /// [#sum] of the samples `from` to `to`, exclusive.
    double sum(Dataset.Split split, int from, int to) {
        int[] order = new int[to - from];
        Arrays.setAll(order, i -> from + i);
        return sum(split, order, 0, order.length);
    }
}
