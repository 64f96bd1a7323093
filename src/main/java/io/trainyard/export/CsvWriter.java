package io.trainyard.export;

import io.trainyard.export.Columns.Type;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A file of comma-separated values as RFC 4180 has it: a header, lines that end in CR LF, quotes where a
/// text needs them, and an apostrophe before a text that a spreadsheet would compute. A value that a row has not is
/// empty; times are ISO 8601.
final class CsvWriter implements Table {
    private static final String FORMULA_STARTS = "=+-@\t\r";

    private final Columns columns;
    private final ReplacedFile file;
    private final Writer out;
    private int column;

    CsvWriter(Path path, Columns columns) throws IOException {
        this.columns = columns;
        file = new ReplacedFile(path);
        out = new BufferedWriter(new OutputStreamWriter(file.out(), StandardCharsets.UTF_8));
        for (Columns.Column header : columns.columns()) {
            write(header.name());
        }
        endRow();
    }

    private void write(String value) throws IOException {
        if (column++ > 0) {
            out.write(',');
        }
        out.write(value);
    }

    @Override
    public void text(@Nullable String value) throws IOException {
        write(value == null ? "" : quoted(plain(value)));
    }

    /// Spreadsheets compute what begins so; with an apostrophe before it they show it.
    private static String plain(String text) {
        return text.isEmpty() || FORMULA_STARTS.indexOf(text.charAt(0)) < 0 ? text : "'" + text;
    }

    private static String quoted(String text) {
        boolean plain = !text.isEmpty() && text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\r' || c == '\n');
        return plain ? text : "\"" + text.replace("\"", "\"\"") + "\"";
    }

    @Override
    public void number(long value) throws IOException {
        boolean time = columns.columns().get(column).type() == Type.TIME;
        write(time ? Instant.ofEpochMilli(value).toString() : Long.toString(value));
    }

    @Override
    public void real(float value) throws IOException {
        write(Float.toString(value));
    }

    @Override
    public void real(double value) throws IOException {
        write(Double.toString(value));
    }

    @Override
    public void nothing() throws IOException {
        write("");
    }

    @Override
    public void endRow() throws IOException {
        if (column != columns.columns().size()) {
            throw new IllegalStateException("a row has %d values of %s".formatted(column, columns));
        }
        column = 0;
        out.write("\r\n");
    }

    @Override
    public void finish() throws IOException {
        out.flush();
        file.finish();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
