package io.trainyard.cli.watch;

import io.trainyard.spec.Printable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A table for people: columns as wide as they must be, up to a bound each.
final class Columns {
    static final String NOTHING = "-";

    private Columns() {}

    /// @param figures whether they stand at the right of it
    record Column<T>(String title, int maxWidth, boolean figures, Function<T, String> cell) {}

    /// The lines of the table, the titles first.
    static <T> List<String> rows(List<Column<T>> columns, Collection<T> all) {
        List<StringBuilder> lines = new ArrayList<>();
        lines.add(new StringBuilder());
        all.forEach(_ -> lines.add(new StringBuilder()));
        for (Column<T> column : columns) {
            List<String> cells = new ArrayList<>(List.of(column.title()));
            all.forEach(one -> cells.add(Printable.text(column.cell().apply(one), column.maxWidth())));
            int width = cells.stream().mapToInt(String::length).max().orElse(0);
            for (int i = 0; i < cells.size(); i++) {
                String padding = " ".repeat(width - cells.get(i).length());
                lines.get(i)
                        .append(column.figures() ? padding + cells.get(i) : cells.get(i) + padding)
                        .append("  ");
            }
        }
        return lines.stream().map(line -> line.toString().stripTrailing()).toList();
    }

    static <T> String of(@Nullable T value, Function<T, String> text) {
        return value == null ? NOTHING : text.apply(value);
    }
}
