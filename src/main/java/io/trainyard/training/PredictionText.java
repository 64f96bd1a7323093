package io.trainyard.training;

import static java.util.Locale.ROOT;

import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.trainyard.data.DatasetInfo;
import io.trainyard.data.Targets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The output formats of `predict`, one sample per line. Numbers have the fewest digits that identify a float.
/// Targets that are not known are empty in CSV, and null in JSON.
public sealed interface PredictionText {
    static PredictionText of(Predictions predictions) {
        return switch (predictions.targets()) {
            case Targets.ClassLabels(int[] labels) -> new OfClasses(predictions, labels);
            case Targets.Numbers numbers -> new OfNumbers(predictions, numbers.values());
        };
    }

    /// @param sample the title of the samples' names
    static String csvTitles(String sample, DatasetInfo dataset) {
        return sample
                + (dataset.classNames().isEmpty()
                        ? "," + titles("target", dataset.outputs()) + "," + titles("predicted", dataset.outputs())
                        : ",label,predicted," + titles("p", dataset.outputs()));
    }

    String csv(int sample);

    /// @param title the name of the field with the sample's name
    String json(String title, int sample);

    /// A wrong prediction as a JSON object without the other probabilities.
    ///
    /// @throws IllegalStateException if the targets are numbers
    String mistake(int sample);

    /// The samples with a target.
    long known();

    /// The samples that are right, or the sum of the absolute errors of all numbers, over the samples with a target.
    double sum();

    /// The accuracy or error over all samples, in words.
    static String quality(DatasetInfo dataset, long samples, long known, double sum) {
        if (known == 0) {
            return "%d predictions".formatted(samples);
        }
        return dataset.classNames().isEmpty()
                ? String.format(ROOT, "mean absolute error %.6g", sum / known / dataset.outputs())
                : "%d of %d right".formatted((long) sum, known);
    }

    /// Class labels with the probabilities from the network.
    record OfClasses(Predictions predictions, int[] labels) implements PredictionText {
        @Override
        public String csv(int sample) {
            return "%s,%s,%d,%s"
                    .formatted(
                            csvName(predictions, sample),
                            labels[sample] < 0 ? "" : labels[sample],
                            predictions.predicted(sample),
                            row(predictions.values(), sample, predictions.outputs()));
        }

        @Override
        public String json(String title, int sample) {
            int label = labels[sample];
            int predicted = predictions.predicted(sample);
            return "{\"%s\":%s,\"label\":%s,\"predicted\":%d,\"labelName\":%s,\"predictedName\":%s,\"probabilities\":[%s]}"
                    .formatted(
                            title,
                            jsonName(title, predictions, sample),
                            label < 0 ? "null" : label,
                            predicted,
                            label < 0 ? NullNode.getInstance() : name(label),
                            name(predicted),
                            row(predictions.values(), sample, predictions.outputs()));
        }

        @Override
        public long known() {
            return IntStream.of(labels).filter(label -> label >= 0).count();
        }

        @Override
        public double sum() {
            return IntStream.range(0, labels.length)
                    .filter(i -> predictions.predicted(i) == labels[i])
                    .count();
        }

        @Override
        public String mistake(int sample) {
            int predicted = predictions.predicted(sample);
            return "{\"%s\":%s,\"label\":%s,\"predicted\":%s,\"probability\":%s,\"predictedProbability\":%s}"
                    .formatted(
                            predictions.title(),
                            jsonName(predictions.title(), predictions, sample),
                            name(labels[sample]),
                            name(predicted),
                            predictions.value(sample, labels[sample]),
                            predictions.value(sample, predicted));
        }

        private TextNode name(int label) {
            return TextNode.valueOf(predictions.classNames().get(label));
        }
    }

    /// Predicted numbers with the sample's own values.
    ///
    /// @param targets (samples, outputs), row-major
    record OfNumbers(Predictions predictions, float[] targets) implements PredictionText {
        @Override
        public String csv(int sample) {
            return "%s,%s,%s"
                    .formatted(
                            csvName(predictions, sample),
                            row(targets, sample, predictions.outputs()).replace("NaN", ""),
                            row(predictions.values(), sample, predictions.outputs()));
        }

        @Override
        public String json(String title, int sample) {
            return "{\"%s\":%s,\"target\":[%s],\"predicted\":[%s]}"
                    .formatted(
                            title,
                            jsonName(title, predictions, sample),
                            row(targets, sample, predictions.outputs()).replace("NaN", "null"),
                            row(predictions.values(), sample, predictions.outputs()));
        }

        @Override
        public String mistake(int sample) {
            throw new IllegalStateException("numbers are not right or wrong");
        }

        @Override
        public long known() {
            return IntStream.range(0, targets.length)
                            .filter(i -> !Float.isNaN(targets[i]))
                            .count()
                    / predictions.outputs();
        }

        @Override
        public double sum() {
            return IntStream.range(0, targets.length)
                    .filter(i -> !Float.isNaN(targets[i]))
                    .mapToDouble(i -> Math.abs((double) predictions.values()[i] - targets[i]))
                    .sum();
        }
    }

    private static String csvName(Predictions predictions, int sample) {
        String name = predictions.name(sample);
        return name.matches("[^\",\r\n]*") ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    private static String jsonName(String title, Predictions predictions, int sample) {
        String name = predictions.name(sample);
        return title.equals("index") ? name : TextNode.valueOf(name).toString();
    }

    private static String titles(String name, int count) {
        return IntStream.range(0, count).mapToObj(i -> name + i).collect(Collectors.joining(","));
    }

    private static String row(float[] values, int sample, int width) {
        return IntStream.range(sample * width, (sample + 1) * width)
                .mapToObj(i -> Float.toString(values[i]))
                .collect(Collectors.joining(","));
    }
}
