package io.trainyard.training;

import io.trainyard.data.DatasetInfo;
import io.trainyard.data.Targets;
import java.util.List;

/// A trained network's predictions.
///
/// @param dataset of the samples, or of the training
/// @param names the samples' files, or the numbers of rows; empty: they have none
/// @param targets each sample's true class or numbers, in the test set's order
/// @param values (samples, outputs), row-major: class probabilities or predicted numbers
public record Predictions(DatasetInfo dataset, List<String> names, Targets targets, float[] values) {
    public int outputs() {
        return dataset.outputs();
    }

    /// By label; empty for predicted numbers.
    public List<String> classNames() {
        return dataset.classNames();
    }

    public int size() {
        return targets.size();
    }

    /// The title of the samples' names: `file`, or `index` for rows and for samples without a file.
    public String title() {
        return names.isEmpty() || names.getFirst().chars().allMatch(Character::isDigit) ? "index" : "file";
    }

    /// The sample's file or row, or its index in the test set.
    public String name(int sample) {
        return names.isEmpty() ? Integer.toString(sample) : names.get(sample);
    }

    /// A class's probability, or a predicted number.
    public float value(int sample, int output) {
        return values[sample * outputs() + output];
    }

    /// The class of the largest probability; the first of equals.
    public int predicted(int sample) {
        int best = 0;
        for (int c = 1; c < outputs(); c++) {
            if (value(sample, c) > value(sample, best)) {
                best = c;
            }
        }
        return best;
    }
}
