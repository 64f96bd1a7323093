package io.trainyard.export;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A table that is written row by row.
interface Table extends Closeable {
    @FunctionalInterface
    interface Maker {
        Table make(Columns columns) throws IOException;
    }

    /// Appends a row.
    ///
    /// @param values of all columns, with null where the row has none. A text is a String, other values are numbers;
    ///     times are milliseconds since 1970
    void row(@Nullable Object... values) throws IOException;

    void finish() throws IOException;
}
