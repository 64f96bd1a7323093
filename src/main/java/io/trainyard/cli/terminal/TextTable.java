package io.trainyard.cli.terminal;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Cells in columns as wide as they must be.
public final class TextTable {
    private TextTable() {}

    /// @param rows each with as many cells
    /// @param figures whether a column, counted from 0, holds figures, which stand at the right of it
    public static List<String> lines(List<List<String>> rows, IntPredicate figures) {
        List<Integer> widths = IntStream.range(
                        0, rows.isEmpty() ? 0 : rows.getFirst().size())
                .mapToObj(column -> rows.stream()
                        .mapToInt(row -> row.get(column).length())
                        .max()
                        .orElse(0))
                .toList();
        return rows.stream()
                .map(row -> IntStream.range(0, row.size())
                        .mapToObj(column -> padded(row.get(column), widths.get(column), figures.test(column)))
                        .collect(Collectors.joining("  "))
                        .stripTrailing())
                .toList();
    }

    private static String padded(String cell, int width, boolean right) {
        String padding = " ".repeat(width - cell.length());
        return right ? padding + cell : cell + padding;
    }
}
