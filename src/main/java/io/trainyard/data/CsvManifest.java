package io.trainyard.data;

import io.trainyard.data.DatasetInfo.Answers;
import io.trainyard.spec.DatasetSpec;
import io.trainyard.spec.DatasetSpec.Normalize;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.Shape;
import io.trainyard.spec.SplitSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Tables with one row for each sample. All columns are numbers, except for categories and for class names in the
/// label column.
///
/// @param train name of the training file; null: `train.csv`
/// @param validation name of the validation file; null: `validation.csv`, if there is one
/// @param test name of the test file; null: `test.csv`
/// @param header whether the first row names the columns; null: true. Without a header they are named `0`, `1`
///     and so on
/// @param separator between columns; null: a comma
/// @param label the column of the class
/// @param targets the columns of the numbers to predict, instead of a label
/// @param columns the feature columns, in this order; null: all others
/// @param oneHot the categories of feature columns that hold texts; null: none
/// @param classes number of classes; null if they are named
/// @param classNames by label; the label column may hold these names
/// @param split for jobs without a split, if there is no test file
/// @param normalize default for jobs: one mean and one std for each column
record CsvManifest(
        @Nullable String train,
        @Nullable String validation,
        @Nullable String test,
        @Nullable Boolean header,
        @Nullable String separator,
        @Nullable String label,
        @Nullable List<String> targets,
        @Nullable List<String> columns,
        @Nullable Map<String, List<String>> oneHot,
        @Nullable Integer classes,
        @Nullable List<String> classNames,
        @Nullable SplitSpec split,
        @Nullable Normalize normalize)
        implements DatasetManifest {
    static final String USUAL_TRAIN = "train.csv";
    static final String USUAL_VALIDATION = "validation.csv";
    static final String USUAL_TEST = "test.csv";

    static final int MAX_CATEGORIES = 100;

    CsvManifest {
        if ((label == null) == (targets == null || targets.isEmpty())) {
            throw new InvalidJobException(
                    "label and targets are %s; name the label, the column of the class, or targets, the columns of numbers to predict"
                            .formatted(label == null ? "both missing" : "both there"));
        }
        if (label != null) {
            var unused = DatasetManifest.classes(classes, classNames);
        } else if (classes != null || classNames != null) {
            throw new InvalidJobException("there are classes or classNames, but targets are numbers; leave them out");
        }
        if (separator != null && (separator.length() != 1 || "\"\r\n.+-0123456789eE".contains(separator))) {
            throw new InvalidJobException(
                    "separator is \"%s\"; allowed is one character that is in no number, such as \";\" or \"\\t\""
                            .formatted(DataFiles.printable(separator)));
        }
        requireOnce("targets", targets);
        requireOnce("columns", columns);
        oneHot = oneHot == null || oneHot.isEmpty() ? null : oneHot;
        if (oneHot != null) {
            oneHot.forEach(CsvManifest::requireCategories);
        }
    }

    private static void requireCategories(String column, List<String> categories) {
        String field = "oneHot.%s".formatted(DataFiles.printable(column));
        if (categories == null || categories.contains(null)) {
            throw new InvalidJobException(
                    "%s has no categories, or one that is null; list their texts".formatted(field));
        }
        requireOnce(field, categories);
        if (categories.size() > MAX_CATEGORIES) {
            throw new InvalidJobException(
                    "%s has %d categories; allowed is 1 to %d; leave the column out of \"columns\""
                            .formatted(field, categories.size(), MAX_CATEGORIES));
        }
    }

    private static void requireOnce(String field, @Nullable List<String> names) {
        if (names != null && (names.isEmpty() || Set.copyOf(names).size() != names.size())) {
            throw new InvalidJobException("%s is %s; name each column once, and at least one".formatted(field, names));
        }
    }

    private CsvTable table(DataFolder folder, @Nullable String named, String usual) {
        return tableAt(folder.file(List.of(named == null ? usual : named)));
    }

    /// A table with this separator and header.
    CsvTable tableAt(Path file) {
        return new CsvTable(file, separator == null ? ',' : separator.charAt(0), header == null || header);
    }

    /// Of all parts that have a file, the training part first.
    List<CsvTable> tables(DataFolder folder) {
        List<CsvTable> tables = new ArrayList<>(List.of(table(folder, train, USUAL_TRAIN)));
        if (hasValidation(folder)) {
            tables.add(table(folder, validation, USUAL_VALIDATION));
        }
        if (hasTests(folder)) {
            tables.add(table(folder, test, USUAL_TEST));
        }
        return tables;
    }

    CsvFeatures features(DataFolder folder) {
        return features(table(folder, train, USUAL_TRAIN));
    }

    private CsvFeatures features(CsvTable table) {
        List<String> used = columns;
        if (used == null) {
            Set<String> rest = new LinkedHashSet<>(table.columns());
            answerColumns().forEach(rest::remove);
            used = List.copyOf(rest);
        }
        if (oneHot != null && !used.containsAll(oneHot.keySet())) {
            throw DataFiles.wrong(
                    table.file(),
                    "the features "
                            + used.stream().limit(20).map(DataFiles::printable).toList(),
                    "those of oneHot among them: "
                            + oneHot.keySet().stream().map(DataFiles::printable).toList());
        }
        return new CsvFeatures(used, oneHot == null ? Map.of() : oneHot);
    }

    List<String> answerColumns() {
        return label != null ? List.of(label) : targets == null ? List.of() : targets;
    }

    @Override
    public DatasetInfo describe(DataFolder folder, DatasetSpec spec) {
        CsvTable table = table(folder, train, USUAL_TRAIN);
        CsvFeatures features = features(table);
        if (features.columns().isEmpty()) {
            throw DataFiles.wrong(table.file(), "no column but %s".formatted(answerColumns()), "at least one more");
        }
        Answers answers =
                targets != null ? new Answers.Numbers(targets.size()) : DatasetManifest.classes(classes, classNames);
        return DatasetManifest.info(spec, Shape.of(features.width()), answers, normalize);
    }

    @Override
    public boolean hasTests(DataFolder folder) {
        return test != null || folder.find(List.of(USUAL_TEST)).isPresent();
    }

    @Override
    public boolean hasValidation(DataFolder folder) {
        return validation != null || folder.find(List.of(USUAL_VALIDATION)).isPresent();
    }

    @Override
    public Dataset read(DataFolder folder, DatasetSpec spec, DatasetInfo info, SampleMemory memory) {
        return RandomSplit.dataset(
                info,
                drawn(folder, spec),
                part(table(folder, train, USUAL_TRAIN), info),
                hasValidation(folder) ? part(table(folder, validation, USUAL_VALIDATION), info) : null,
                hasTests(folder) ? part(table(folder, test, USUAL_TEST), info) : null,
                memory);
    }

    private Dataset.Split part(CsvTable table, DatasetInfo info) {
        CsvFeatures features = features(table);
        List<String> names = new ArrayList<>(features.columns());
        names.addAll(answerColumns());
        if (features.width() != info.shape().elements()) {
            throw DataFiles.wrong(
                    table.file(),
                    "%d columns of numbers".formatted(features.width()),
                    "%d, as in the file to train on".formatted(info.shape().elements()));
        }
        CsvRows rows = new CsvRows(features, info.answers());
        table.forEach(names, rows::add);
        return rows.split(table.file());
    }
}
