package io.trainyard.tracking;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// What several tables ask in the same way.
final class Sql {
    private Sql() {}

    /// Question marks for so many values, with commas between them.
    static String marks(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }

    static void set(PreparedStatement statement, List<?> values) throws SQLException {
        for (int i = 0; i < values.size(); i++) {
            statement.setObject(i + 1, values.get(i));
        }
    }

    /// The first column of all rows.
    static List<Long> numbers(Connection connection, String sql, List<?> values) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            set(select, values);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    numbers.add(rows.getLong(1));
                }
            }
        }
        return numbers;
    }

    /// The one number that is asked for; 0 where there are no rows that it is of.
    static long number(Connection connection, String sql) throws SQLException {
        return numbers(connection, sql, List.of()).getFirst();
    }
}
