package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What must hold of all pages, and of those that tell what others measured.
class PagesTest {
    /// One and a half screens.
    private static final int README_LINES = 110;

    static Stream<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("docs"))) {
            return Stream.concat(
                    Stream.of("README.md", "CHANGELOG.md", "CONTRIBUTING.md").map(Path::of),
                    files.filter(file -> file.toString().endsWith(".md")).sorted())
                    .toList()
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyLinkLeadsSomewhere(Path file) {
        Page page = Page.read(file.toString());
        for (String link : page.links()) {
            if (!link.matches("https?://.*")) {
                String[] parts = link.split("#", 2);
                Path target = parts[0].isEmpty()
                        ? file
                        : file.resolveSibling(parts[0]).normalize();
                assertThat(target).as("%s in %s", link, file).exists();
                if (parts.length == 2) {
                    assertThat(Page.read(target.toString()).anchors())
                            .as("%s in %s", link, file)
                            .contains(parts[1]);
                }
            }
        }
    }

    /// From the README by links.
    @Test
    void everyPageIsFound() throws IOException {
        Map<Path, Page> found = new HashMap<>();
        follow(Path.of("README.md"), found);
        assertThat(pages()).isSubsetOf(found.keySet());
    }

    private static void follow(Path file, Map<Path, Page> found) {
        if (found.containsKey(file)) {
            return;
        }
        Page page = Page.read(file.toString());
        found.put(file, page);
        page.links().stream()
                .map(link -> link.replaceFirst("#.*", ""))
                .filter(link -> link.endsWith(".md") && !link.startsWith("http"))
                .forEach(link -> follow(file.resolveSibling(link).normalize(), found));
    }

    @Test
    void theReadmeIsShort() {
        assertThat(Page.read("README.md").lines()).hasSizeLessThanOrEqualTo(README_LINES);
    }

    @Test
    void thePageOnSpeedSaysWhatWasMeasured() {
        Map<String, List<String>> measured = new HashMap<>();
        Page.read("docs/benchmarks/cpu-2026-11-21.md")
                .table()
                .forEach(row -> measured.put(row.getFirst(), row.subList(1, 4)));
        for (List<String> row : Page.read("docs/speed.md")
                .section("## On two CPU cores, beside PyTorch")
                .table()) {
            String network = Page.code(row, 0).getFirst();
            assertThat(row.subList(1, 4).stream().map(cell -> cell.replaceAll(",| µs", "")))
                    .as("a step of %s", network)
                    .isEqualTo(measured.get(network + ", micros a step"));
            assertThat(row.get(4))
                    .as("a test of %s", network)
                    .isEqualTo(measured.getOrDefault(network + ", millis a test", List.of())
                            .getLast());
        }
    }
}
