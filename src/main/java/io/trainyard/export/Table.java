package io.trainyard.export;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// A table that is written row by row, each from its first column to its last.
interface Table extends Closeable {
    @FunctionalInterface
    interface Maker {
        Table make(Columns columns) throws IOException;
    }

    /// The next column's value, a text; null: the row has none.
    void text(@Nullable String value) throws IOException;

    /// The next column's value, an integer, a long or a time.
    void number(long value) throws IOException;

    void real(float value) throws IOException;

    void real(double value) throws IOException;

    void nothing() throws IOException;

    void endRow() throws IOException;

    void finish() throws IOException;
}
