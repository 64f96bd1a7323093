package io.trainyard.cli;

import static java.util.Locale.ROOT;

import com.fasterxml.jackson.databind.node.TextNode;
import io.trainyard.data.Targets;
import io.trainyard.training.Predictions;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The output formats of `predict`, one sample per line. Numbers have the fewest digits that identify a float.
sealed interface PredictionText {
    static PredictionText of(Predictions predictions) {
        return switch (predictions.targets()) {
            case Targets.ClassLabels(int[] labels) -> new OfClasses(predictions, labels);
            case Targets.Numbers numbers -> new OfNumbers(predictions, numbers.values());
        };
    }

    String csvTitles();

    String csv(int sample);

    String json(int sample);

    /// The accuracy or error over all samples, in words.
    String quality();

    /// Class labels with the probabilities from the network.
    record OfClasses(Predictions predictions, int[] labels) implements PredictionText {
        @Override
        public String csvTitles() {
            return "index,label,predicted," + titles("p", predictions.outputs());
        }

        @Override
        public String csv(int sample) {
            return "%d,%d,%d,%s"
                    .formatted(
                            sample, labels[sample], predictions.predicted(sample), row(predictions.values(), sample));
        }

        @Override
        public String json(int sample) {
            int predicted = predictions.predicted(sample);
            return "{\"index\":%d,\"label\":%d,\"predicted\":%d,\"labelName\":%s,\"predictedName\":%s,\"probabilities\":[%s]}"
                    .formatted(
                            sample,
                            labels[sample],
                            predicted,
                            name(labels[sample]),
                            name(predicted),
                            row(predictions.values(), sample));
        }

        @Override
        public String quality() {
            long right = IntStream.range(0, labels.length)
                    .filter(i -> predictions.predicted(i) == labels[i])
                    .count();
            return "%d of %d right".formatted(right, labels.length);
        }

        private TextNode name(int label) {
            return TextNode.valueOf(predictions.classNames().get(label));
        }

        private String row(float[] values, int sample) {
            return PredictionText.row(values, sample, predictions.outputs());
        }
    }

    /// Predicted numbers with the sample's own values.
    ///
    /// @param targets (samples, outputs), row-major
    record OfNumbers(Predictions predictions, float[] targets) implements PredictionText {
        @Override
        public String csvTitles() {
            return "index," + titles("target", predictions.outputs()) + ","
                    + titles("predicted", predictions.outputs());
        }

        @Override
        public String csv(int sample) {
            return "%d,%s,%s".formatted(sample, row(targets, sample), row(predictions.values(), sample));
        }

        @Override
        public String json(int sample) {
            return "{\"index\":%d,\"target\":[%s],\"predicted\":[%s]}"
                    .formatted(sample, row(targets, sample), row(predictions.values(), sample));
        }

        @Override
        public String quality() {
            double errors = IntStream.range(0, targets.length)
                    .mapToDouble(i -> Math.abs((double) predictions.values()[i] - targets[i]))
                    .sum();
            return String.format(ROOT, "mean absolute error %.6g", errors / targets.length);
        }

        private String row(float[] values, int sample) {
            return PredictionText.row(values, sample, predictions.outputs());
        }
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
