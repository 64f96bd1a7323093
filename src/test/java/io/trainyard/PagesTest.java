package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Rules for all pages, and for pages that quote measurements of others.
class PagesTest {
    private static final Pattern PATH =
            Pattern.compile("(?<=[ `])((?:bench|docs|grafana|k8s|prometheus|src)/[\\w./-]*\\w)(?=[ `])");

    static Stream<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("docs"))) {
            return Stream.concat(
                    Stream.of("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
                            .map(Path::of),
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

    /// Files of the repository in commands and in backticks.
    @ParameterizedTest
    @MethodSource("pages")
    void everyPathExists(Path file) {
        PATH.matcher(Page.read(file.toString()).toString())
                .results()
                .forEach(path ->
                        assertThat(Path.of(path.group(1))).as("in %s", file).exists());
    }

    /// Reachable from the README by links.
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
}
