package io.trainyard.cli.watch;

import io.trainyard.cli.terminal.TextTable;
import io.trainyard.spec.Printable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A table for people: columns as wide as they must be, up to a bound each.
final class TableColumns {
    static final String NOTHING = "-";

    private TableColumns() {}

    /// @param figures whether they stand at the right of it
    record Column<T>(String title, int maxWidth, boolean figures, Function<T, String> cell) {
        /// The same of what has it, which may be nothing.
        <S> Column<S> of(Function<S, @Nullable T> whole) {
            return new Column<>(title, maxWidth, figures, one -> TableColumns.of(whole.apply(one), cell));
        }
    }

    /// The lines of the table, the titles first.
    static <T> List<String> rows(List<Column<T>> columns, Collection<T> all) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(columns.stream().map(Column::title).toList());
        all.forEach(one -> rows.add(columns.stream()
                .map(column -> Printable.text(column.cell().apply(one), column.maxWidth()))
                .toList()));
        return TextTable.lines(rows, column -> columns.get(column).figures());
    }

    static <T> String of(@Nullable T value, Function<T, String> text) {
        return value == null ? NOTHING : text.apply(value);
    }
}
