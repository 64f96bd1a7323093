package io.trainyard.export;

import io.trainyard.export.Columns.Type;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A file of comma-separated values as RFC 4180 has it: a header, lines that end in CR LF, quotes where a
/// text needs them, and an apostrophe before a text that a spreadsheet would compute. A value that a row has not is
/// empty; times are ISO 8601.
final class CsvWriter implements Table {
    private static final String FORMULA_STARTS = "=+-@\t\r";

    private final Columns columns;
    private final ReplacedFile file;
    private final Writer out;

    CsvWriter(Path path, Columns columns) throws IOException {
        this.columns = columns;
        file = new ReplacedFile(path);
        out = new BufferedWriter(new OutputStreamWriter(file.out(), StandardCharsets.UTF_8));
        line(columns.columns().stream().map(Columns.Column::name));
    }

    private void line(Stream<String> values) throws IOException {
        out.write(values.collect(Collectors.joining(",", "", "\r\n")));
    }

    @Override
    public void row(@Nullable Object... values) throws IOException {
        if (values.length != columns.columns().size()) {
            throw new IllegalStateException("a row has %d values of %s".formatted(values.length, columns));
        }
        line(IntStream.range(0, values.length)
                .mapToObj(i -> text(columns.columns().get(i).type(), values[i])));
    }

    private static String text(Type type, @Nullable Object value) {
        return switch (value) {
            case null -> "";
            case String text -> quoted(plain(text));
            case Long millis
            when type == Type.TIME -> Instant.ofEpochMilli(millis).toString();
            default -> value.toString();
        };
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
    public void finish() throws IOException {
        out.flush();
        file.finish();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
