package io.trainyard.export;

import java.util.List;

/// The columns of a table.
///
/// @param name of the table
record Columns(String name, List<Column> columns) {
    Columns {
        columns = List.copyOf(columns);
    }

    enum Type {
        TEXT,
        INTEGER,
        LONG,
        FLOAT,
        DOUBLE,
        /// Milliseconds since 1970.
        TIME
    }

    /// @param optional whether some rows have no such value
    record Column(String name, Type type, boolean optional) {}

    static Column column(String name, Type type) {
        return new Column(name, type, false);
    }

    static Column optional(String name, Type type) {
        return new Column(name, type, true);
    }
}
