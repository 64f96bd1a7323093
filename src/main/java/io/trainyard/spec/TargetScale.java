package io.trainyard.spec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Standardizes the targets of regression: `(target - mean) / std`, rounded to float32 after each operation.
///
/// @param mean of each output, over the training part
/// @param std the population standard deviation of each output; 1 for an output without spread
public record TargetScale(List<Float> mean, List<Float> std) {
    private static final String MEAN = "targetMean";
    private static final String STD = "targetStd";

    public TargetScale {
        mean = List.copyOf(mean);
        std = List.copyOf(std);
    }

    /// @param targets (samples, outputs), row-major
    public static TargetScale of(float[] targets, int outputs) {
        List<Float> means = new ArrayList<>();
        List<Float> stds = new ArrayList<>();
        int samples = targets.length / outputs;
        for (int output = 0; output < outputs; output++) {
            double sum = 0;
            for (int i = output; i < targets.length; i += outputs) {
                sum += targets[i];
            }
            double mean = sum / samples;
            double squares = 0;
            for (int i = output; i < targets.length; i += outputs) {
                squares += (targets[i] - mean) * (targets[i] - mean);
            }
            float std = (float) Math.sqrt(squares / samples);
            means.add((float) mean);
            stds.add(std > 0 ? std : 1);
        }
        return new TargetScale(means, stds);
    }

    public float[] standardized(float[] targets) {
        float[] values = targets.clone();
        for (int i = 0; i < values.length; i++) {
            values[i] = (values[i] - mean.get(i % mean.size())) / std.get(i % std.size());
        }
        return values;
    }

    /// Predictions in the units of the dataset.
    ///
    /// @param scale null: they have these units
    public static float[] original(@Nullable TargetScale scale, float[] predicted) {
        if (scale == null) {
            return predicted;
        }
        float[] values = predicted.clone();
        for (int i = 0; i < values.length; i++) {
            values[i] = values[i] * scale.std.get(i % scale.std.size()) + scale.mean.get(i % scale.mean.size());
        }
        return values;
    }

    /// For the header of a checkpoint: JSON lists.
    public Map<String, String> metadata() {
        return Map.of(MEAN, mean.toString(), STD, std.toString());
    }

    /// @return null if the header has none
    /// @throws IllegalArgumentException if it is invalid
    public static @Nullable TargetScale of(Map<String, String> metadata) {
        String mean = metadata.get(MEAN);
        return mean == null ? null : new TargetScale(numbers(mean), numbers(metadata.getOrDefault(STD, "")));
    }

    private static List<Float> numbers(String list) {
        return Arrays.stream(list.replaceAll("[\\[\\] ]", "").split(","))
                .map(Float::valueOf)
                .toList();
    }
}
