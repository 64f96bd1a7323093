package io.trainyard.tracking;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Prepared statements. Texts are stored after [Database#text].
final class Sql {
    private Sql() {}

    @FunctionalInterface
    interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    @FunctionalInterface
    interface Consumer {
        void take(ResultSet row) throws SQLException;
    }

    /// Placeholders for a number of values, separated by commas.
    static String marks(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }

    private static void set(PreparedStatement statement, List<?> values) throws SQLException {
        for (int i = 0; i < values.size(); i++) {
            Object value = values.get(i);
            statement.setObject(i + 1, value instanceof String text ? Database.text(text) : value);
        }
    }

    static int update(Connection connection, String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            set(statement, Arrays.asList(values));
            return statement.executeUpdate();
        }
    }

    /// Inserts rows. Their keys must differ because drivers may send all rows as one statement.
    static void batch(Connection connection, String sql, Collection<? extends List<?>> rows) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (List<?> row : rows) {
                set(statement, row);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    /// @param fetched the number of rows that PostgreSQL sends at a time; 0 for all
    static void each(Connection connection, String sql, int fetched, List<?> values, Consumer reader)
            throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            set(select, values);
            select.setFetchSize(fetched);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    reader.take(rows);
                }
            }
        }
    }

    static <T> List<T> list(Connection connection, String sql, List<?> values, Reader<T> reader) throws SQLException {
        List<T> found = new ArrayList<>();
        each(connection, sql, 0, values, row -> found.add(reader.read(row)));
        return found;
    }

    /// The number that a query returns; 0 if it returns no row.
    static long number(Connection connection, String sql, Object... values) throws SQLException {
        List<Long> found = list(connection, sql, List.of(values), row -> row.getLong(1));
        return found.isEmpty() ? 0 : found.getFirst();
    }
}
