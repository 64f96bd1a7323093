package io.trainyard.data;

import io.trainyard.data.DatasetInfo.Answers;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

final class CsvRows {
    /// The syntax of Python's `float()` without `nan`, `inf` and underscores.
    private static final Pattern NUMBER = Pattern.compile("[+-]?(\\d++(\\.\\d*+)?|\\.\\d++)([eE][+-]?\\d{1,4})?");

    private static final int FIRST_NUMBERS = 1 << 16;

    private final CsvFeatures features;
    private final int width;
    private final Answers answers;
    private final Map<String, Integer> byName = new HashMap<>();
    private float[] samples;
    private int[] labels = {};
    private float[] numbers = {};
    private int rows;

    CsvRows(CsvFeatures features, Answers answers) {
        this.features = features;
        this.width = features.width();
        this.answers = answers;
        int first = Math.max(1, FIRST_NUMBERS / Math.max(width, answersOfRow()));
        this.samples = new float[width * first];
        switch (answers) {
            case Answers.Classes classes -> {
                labels = new int[first];
                List<String> names = classes.names();
                for (int label = 0; label < names.size(); label++) {
                    byName.putIfAbsent(names.get(label), label);
                }
            }
            case Answers.Numbers _ -> numbers = new float[answersOfRow() * first];
        }
    }

    private int answersOfRow() {
        return switch (answers) {
            case Answers.Classes _ -> 1;
            case Answers.Numbers wanted -> wanted.outputs();
        };
    }

    /// @param values the features, then the label or the numbers to predict
    void add(List<String> values, CsvTable.Row row) {
        grow(row);
        features.put(values, row, samples, rows * width);
        int first = features.columns().size();
        switch (answers) {
            case Answers.Classes classes ->
                labels[rows] = label(values.get(first), classes.names().size(), row);
            case Answers.Numbers wanted -> {
                for (int i = 0; i < wanted.outputs(); i++) {
                    numbers[rows * wanted.outputs() + i] = number(values.get(first + i), first + i, row);
                }
            }
        }
        rows++;
    }

    /// Grows by half, so memory is proportional to the rows read.
    private void grow(CsvTable.Row row) {
        long capacity = samples.length / width;
        if (rows < capacity) {
            return;
        }
        long more = capacity + capacity / 2 + 1;
        if (more * Math.max(width, answersOfRow()) > DataFiles.MAX_PIXEL_BYTES / Float.BYTES) {
            throw DataFiles.wrong(
                    row.file(),
                    "more than %d rows".formatted(rows),
                    "fewer: a table in memory has at most 2 GiB; store it as float32 with numpy.save");
        }
        samples = Arrays.copyOf(samples, (int) more * width);
        labels = labels.length == 0 ? labels : Arrays.copyOf(labels, (int) more);
        numbers = numbers.length == 0 ? numbers : Arrays.copyOf(numbers, (int) more * answersOfRow());
    }

    static boolean isNumber(String value) {
        return NUMBER.matcher(value.strip()).matches();
    }

    static float number(String value, int column, CsvTable.Row row) {
        String text = value.strip();
        float number = NUMBER.matcher(text).matches() ? (float) Double.parseDouble(text) : Float.NaN;
        if (!Float.isFinite(number)) {
            throw row.wrong(
                    column,
                    value,
                    "a number; fill in or remove missing values, and list categories in \"oneHot\" of %s"
                            .formatted(DatasetManifest.FILE));
        }
        return number;
    }

    private int label(String value, int classes, CsvTable.Row row) {
        String text = value.strip();
        Integer named = byName.get(text);
        if (named != null) {
            return named;
        }
        double label = NUMBER.matcher(text).matches() ? Double.parseDouble(text) : -1;
        if (!(label >= 0 && label < classes) || label != Math.rint(label)) {
            throw row.wrong(
                    features.columns().size(),
                    value,
                    "a label of 0 to %d, or one of classNames".formatted(classes - 1));
        }
        return (int) label;
    }

    Dataset.Split split(Path file) {
        if (rows == 0) {
            throw DataFiles.wrong(file, "no row", "at least one");
        }
        Targets targets = switch (answers) {
            case Answers.Classes _ -> new Targets.ClassLabels(Arrays.copyOf(labels, rows));
            case Answers.Numbers wanted ->
                new Targets.Numbers(Arrays.copyOf(numbers, rows * wanted.outputs()), wanted.outputs());
        };
        return new Dataset.Split(Samples.Values.of(Arrays.copyOf(samples, rows * width)), targets);
    }
}
