package io.trainyard.tracking;

import static org.assertj.core.api.Assertions.assertThat;

import io.trainyard.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Checks docs/reference/tracking-store.md against the schema.
class TrackingStorePageTest {
    private static final Path SCHEMA = Path.of("src/main/resources/io/trainyard/tracking/schema");
    private static final Pattern TABLE = Pattern.compile("CREATE TABLE (\\w+)");

    @Test
    void everyTableHasARow() throws IOException {
        List<String> tables = new ArrayList<>();
        try (Stream<Path> files = Files.list(SCHEMA)) {
            for (Path file : files.toList()) {
                TABLE.matcher(Files.readString(file)).results().forEach(table -> tables.add(table.group(1)));
            }
        }
        Page page = Page.read("docs/reference/tracking-store.md").section("## Tables");
        assertThat(page.table().stream().flatMap(row -> Page.code(row, 0).stream()))
                .containsExactlyInAnyOrderElementsOf(tables);
    }
}
