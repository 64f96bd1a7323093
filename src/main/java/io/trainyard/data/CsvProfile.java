package io.trainyard.data;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Statistics of each column of a table, collected row by row.
final class CsvProfile {
    /// Distinct texts kept for all columns together.
    private static final int MOST_TEXTS = 200_000;

    private final List<Column> columns;
    private int rows;
    private int kept;

    static final class Column {
        private final String name;
        private @Nullable Set<String> texts = new LinkedHashSet<>(); // null: too many
        private int missing;
        private int firstMissing;
        private int others;
        private int firstOther;
        private String other = "";
        private boolean whole = true;
        private double least = Double.POSITIVE_INFINITY;
        private double most = Double.NEGATIVE_INFINITY;

        private Column(String name) {
            this.name = name;
        }

        String name() {
            return name;
        }

        /// Rows with an empty value.
        int missing() {
            return missing;
        }

        /// Rows with a value that is not a finite number.
        int others() {
            return others;
        }

        boolean isNumbers() {
            return missing == 0 && others == 0;
        }

        /// Whether the column could hold labels: integers from 0 to the largest allowed label.
        boolean isLabels() {
            return isNumbers() && whole && least >= 0 && most < Dataset.MAX_CLASSES;
        }

        /// Whether the column could hold class names: texts, with repetitions.
        boolean isNames() {
            return missing == 0 && texts != null && others > texts.size();
        }

        /// Whether the column could be a feature of categories: names and no number.
        boolean isCategories() {
            return isNames() && least > most && texts != null && texts.size() <= CsvManifest.MAX_CATEGORIES;
        }

        double most() {
            return most;
        }

        /// The distinct texts, sorted; null if there are more than classes are allowed.
        @Nullable
        List<String> texts() {
            return texts == null
                    ? null
                    : texts.stream().sorted(ImageFolder.BY_CODE_POINT).toList();
        }

        /// The reason why the column is not numeric.
        String complaint() {
            List<String> parts = new ArrayList<>();
            if (missing > 0) {
                parts.add("nothing in %d rows (line %d first)".formatted(missing, firstMissing));
            }
            if (others > 0) {
                parts.add("no number in %d rows (\"%s\" in line %d first)"
                        .formatted(others, DataFiles.printable(other), firstOther));
            }
            if (least > most && texts != null && texts.size() > CsvManifest.MAX_CATEGORIES) {
                parts.add("%d different texts, of at most %d to be categories"
                        .formatted(texts.size(), CsvManifest.MAX_CATEGORIES));
            }
            return "column %s has %s".formatted(DataFiles.printable(name), String.join(" and ", parts));
        }
    }

    private CsvProfile(List<String> names) {
        this.columns = names.stream().map(Column::new).toList();
    }

    static CsvProfile of(CsvTable table) {
        List<String> names = table.columns();
        CsvProfile profile = new CsvProfile(names);
        table.forEach(names, profile::add);
        return profile;
    }

    List<Column> columns() {
        return columns;
    }

    int rows() {
        return rows;
    }

    private void add(List<String> values, CsvTable.Row row) {
        rows++;
        for (int i = 0; i < values.size(); i++) {
            add(columns.get(i), values.get(i).strip(), row.line());
        }
    }

    private void add(Column column, String value, int line) {
        keep(column, value);
        if (value.isEmpty()) {
            column.firstMissing = column.missing++ == 0 ? line : column.firstMissing;
        } else if (!CsvRows.isNumber(value) || !Float.isFinite((float) Double.parseDouble(value))) {
            if (column.others++ == 0) {
                column.firstOther = line;
                column.other = value;
            }
        } else {
            double number = Double.parseDouble(value);
            column.whole &= number == Math.rint(number);
            column.least = Math.min(column.least, number);
            column.most = Math.max(column.most, number);
        }
    }

    private void keep(Column column, String value) {
        Set<String> texts = column.texts;
        if (texts != null && texts.add(value) && (++kept > MOST_TEXTS || texts.size() > Dataset.MAX_CLASSES)) {
            kept -= texts.size();
            column.texts = null;
        }
    }
}
