package io.trainyard.cli.report;

import java.util.ArrayList;
import java.util.List;

/// Cells in columns as wide as they must be.
public final class TextTable {
    private TextTable() {}

    /// @param rows each with as many cells
    /// @param texts the first so many columns hold words, the others figures
    public static List<String> lines(List<List<String>> rows, int texts) {
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                int number = column;
                int width = rows.stream()
                        .mapToInt(other -> other.get(number).length())
                        .max()
                        .orElse(0);
                String cell = row.get(column);
                String padding = " ".repeat(width - cell.length());
                line.append(column < texts ? cell + padding : padding + cell).append("  ");
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }
}
