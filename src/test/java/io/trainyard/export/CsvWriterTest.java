package io.trainyard.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CsvWriterTest {
    @TempDir
    private Path folder;

    /// A spreadsheet would evaluate it, possibly with network access.
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "=1+1;'=1+1",
                "+1;'+1",
                "-1;'-1",
                "@x;'@x",
                "`\tx`;`'\tx`",
                "`\rx`;`\"'\rx\"`",
                "=a,b;\"'=a,b\"",
                "a=b;a=b",
                "'x;'x"
            })
    void textsAreEscapedAgainstFormulas(String text, String cell) throws IOException {
        Path file = folder.resolve("a.csv");
        try (CsvWriter table =
                new CsvWriter(file, new Columns("a", List.of(Columns.column("tags", Columns.Type.TEXT))))) {
            table.row(text);
            table.finish();
        }
        assertThat(Files.readString(file)).isEqualTo("tags\r\n" + cell + "\r\n");
    }

    @Test
    void aNumberStaysOne() throws IOException {
        Path file = folder.resolve("b.csv");
        try (CsvWriter table =
                new CsvWriter(file, new Columns("a", List.of(Columns.column("loss", Columns.Type.DOUBLE))))) {
            table.row(-0.5);
            table.finish();
        }
        assertThat(Files.readString(file)).isEqualTo("loss\r\n-0.5\r\n");
    }
}
