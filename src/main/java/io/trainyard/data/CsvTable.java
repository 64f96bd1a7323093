package io.trainyard.data;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A CSV file as in RFC 4180, except that no value spans several lines. Reads row by row and keeps only one row
/// in memory.
///
/// @param file in UTF-8
/// @param hasHeader whether the first row names the columns
record CsvTable(Path file, char separator, boolean hasHeader) {
    static final int MAX_COLUMNS = 10_000;

    private static final int MAX_LINE = 1 << 20;

    /// Some programs write it at the start of UTF-8 files.
    private static final int BYTE_ORDER_MARK = 0xFEFF;

    interface RowReader {
        void add(List<String> values, Row row);
    }

    /// A position in the file, for messages.
    ///
    /// @param names of the requested columns
    record Row(Path file, int line, List<String> names) {
        DatasetException wrong(int column, String value, String expected) {
            return DataFiles.wrong(
                    file,
                    "\"%s\" in line %d, column %s"
                            .formatted(DataFiles.printable(value), line, DataFiles.printable(names.get(column))),
                    expected);
        }
    }

    List<String> columns() {
        try (BufferedReader in = open()) {
            return columns(in);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    List<String> firstRow() {
        try (BufferedReader in = open()) {
            return firstRow(in);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private List<String> firstRow(BufferedReader in) throws IOException {
        String first = line(in, 1);
        if (first == null) {
            throw DataFiles.wrong(file, "no line", "a table");
        }
        return split(first, 1);
    }

    private List<String> columns(BufferedReader in) throws IOException {
        List<String> values = firstRow(in);
        List<String> names = hasHeader
                ? values.stream().map(String::strip).toList()
                : IntStream.range(0, values.size()).mapToObj(Integer::toString).toList();
        if (names.stream().distinct().count() != names.size()) {
            throw DataFiles.wrong(file, "two columns with one name in line 1", "a different name for each");
        }
        return names;
    }

    void forEach(List<String> names, RowReader reader) {
        try (BufferedReader in = open();
                BufferedReader first = open()) {
            List<String> all = columns(first);
            int[] places = names.stream().mapToInt(name -> place(all, name)).toArray();
            int number = 1;
            if (hasHeader) {
                var unusedHeader = line(in, number++);
            }
            for (String line = line(in, number); line != null; line = line(in, ++number)) {
                if (line.isBlank()) {
                    continue;
                }
                List<String> values = split(line, number);
                if (values.size() != all.size()) {
                    throw DataFiles.wrong(
                            file,
                            "%d values in line %d".formatted(values.size(), number),
                            "%d, as in line 1".formatted(all.size()));
                }
                reader.add(IntStream.of(places).mapToObj(values::get).toList(), new Row(file, number, names));
            }
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private int place(List<String> all, String name) {
        int place = all.indexOf(name);
        if (place < 0) {
            throw DataFiles.wrong(
                    file,
                    "the columns %s"
                            .formatted(all.stream()
                                    .limit(20)
                                    .map(DataFiles::printable)
                                    .toList()),
                    "one named " + DataFiles.printable(name));
        }
        return place;
    }

    private BufferedReader open() throws IOException {
        return new BufferedReader(new InputStreamReader(
                Files.newInputStream(file),
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT)));
    }

    private DatasetException unreadable(IOException e) {
        return e instanceof CharacterCodingException
                ? DataFiles.wrong(file, "bytes that are not UTF-8", "text", e)
                : DataFiles.unreadable(file, e);
    }

    /// Returns the next line without its line break; null at the end of the file, because a line may be empty.
    private @Nullable String line(BufferedReader in, int number) throws IOException {
        StringBuilder line = new StringBuilder();
        int c = in.read();
        if (number == 1 && c == BYTE_ORDER_MARK) {
            c = in.read();
        }
        if (c < 0) {
            return null;
        }
        for (; c >= 0 && c != '\n'; c = in.read()) {
            if (line.length() >= MAX_LINE) {
                throw DataFiles.wrong(
                        file, "line %d of more than %d characters".formatted(number, MAX_LINE), "a table of lines");
            }
            line.append((char) c);
        }
        int length = line.length();
        return length > 0 && line.charAt(length - 1) == '\r' ? line.substring(0, length - 1) : line.toString();
    }

    private List<String> split(String line, int number) {
        List<String> values = new ArrayList<>();
        int at = 0;
        do {
            StringBuilder value = new StringBuilder();
            at = line.startsWith("\"", at) ? quoted(line, at + 1, value, number) : plain(line, at, value);
            values.add(value.toString());
            if (values.size() > MAX_COLUMNS) {
                throw DataFiles.wrong(
                        file, "more than %d columns".formatted(MAX_COLUMNS), "at most %d".formatted(MAX_COLUMNS));
            }
        } while (at++ < line.length()); // at a separator
        return values;
    }

    private int plain(String line, int begin, StringBuilder value) {
        int end = line.indexOf(separator, begin);
        end = end < 0 ? line.length() : end;
        value.append(line, begin, end);
        return end;
    }

    /// @param begin after the opening quote; two quotes are an escaped quote
    private int quoted(String line, int begin, StringBuilder value, int number) {
        int at = begin;
        while (true) {
            int quote = line.indexOf('"', at);
            if (quote < 0) {
                throw DataFiles.wrong(
                        file, "a quote in line %d that does not end there".formatted(number), "one line a row");
            }
            value.append(line, at, quote);
            if (!line.startsWith("\"\"", quote)) {
                boolean ends = quote + 1 == line.length() || line.charAt(quote + 1) == separator;
                if (!ends) {
                    throw DataFiles.wrong(
                            file, "text behind a quoted value in line %d".formatted(number), "a separator there");
                }
                return quote + 1;
            }
            value.append('"');
            at = quote + 2;
        }
    }
}
