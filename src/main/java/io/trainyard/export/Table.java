package io.trainyard.export;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A table that is written row by row.
interface Table extends Closeable {
    @FunctionalInterface
    interface Factory {
        Table make(Columns columns) throws IOException;
    }

    /// Appends a row.
    ///
    /// @param values of all columns, null if the row has none: a String, or a number; times are milliseconds
    ///     since 1970
    void row(@Nullable Object... values) throws IOException;

    void finish() throws IOException;
}
