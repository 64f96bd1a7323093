package io.trainyard.data;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The columns of a table that a network gets, in order. A column of categories becomes a number for each category: 1
/// for that of the row, 0 for the others.
///
/// @param oneHot the categories by column
record CsvFeatures(List<String> columns, Map<String, List<String>> oneHot) {
    CsvFeatures(List<String> columns) {
        this(columns, Map.of());
    }

    /// Numbers of a sample.
    int width() {
        return names().size();
    }

    /// The name of each number: the column, or the column and the category.
    List<String> names() {
        List<String> names = new ArrayList<>();
        for (String column : columns) {
            List<String> categories = oneHot.get(column);
            if (categories == null) {
                names.add(column);
            } else {
                categories.forEach(category -> names.add(column + "=" + category));
            }
        }
        return names;
    }

    /// Writes the numbers of a row.
    ///
    /// @param values the columns' first, in order
    void put(List<String> values, CsvTable.Row row, float[] samples, int from) {
        int at = from;
        for (int i = 0; i < columns.size(); i++) {
            List<String> categories = oneHot.get(columns.get(i));
            if (categories == null) {
                samples[at++] = CsvRows.number(values.get(i), i, row);
                continue;
            }
            int category = categories.indexOf(values.get(i).strip());
            if (category < 0) {
                throw row.wrong(
                        i,
                        values.get(i),
                        "one of its %d categories in \"oneHot\" of %s; add it there, or remove the row"
                                .formatted(categories.size(), DatasetManifest.FILE));
            }
            samples[at + category] = 1;
            at += categories.size();
        }
    }
}
