package io.trainyard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A page of the docs, or a part of one, for tests that compare it with the code.
///
/// @param lines of Markdown
public record Page(List<String> lines) {
    private static final Pattern HEADING = Pattern.compile("(#+) (.*)");
    private static final Pattern CODE = Pattern.compile("`([^`]*)`");
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
    private static final String FENCE = "```";

    public Page {
        lines = List.copyOf(lines);
    }

    /// @param path relative to the project's folder
    public static Page read(String path) {
        try {
            return new Page(Files.readAllLines(Path.of(path)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The content of a section with its subsections.
    ///
    /// @param heading as written, with its number signs
    public Page section(String heading) {
        int level = heading.indexOf(' ');
        Map<String, Page> all = sections(level);
        String title = heading.substring(level + 1);
        assertThat(all).as("the sections of level %d", level).containsKey(title);
        return all.getOrDefault(title, new Page(List.of()));
    }

    /// The sections of a level by their headings.
    public Map<String, Page> sections(int level) {
        Map<String, List<String>> sections = new LinkedHashMap<>();
        List<String> under = new ArrayList<>(); // lines before the first heading are dropped
        boolean code = false;
        for (String line : lines) {
            code ^= line.startsWith(FENCE);
            Matcher heading = HEADING.matcher(line);
            if (code || !heading.matches() || heading.group(1).length() > level) {
                under.add(line);
                continue;
            }
            under = new ArrayList<>();
            if (heading.group(1).length() == level) {
                sections.put(heading.group(2), under);
            }
        }
        Map<String, Page> pages = new LinkedHashMap<>();
        sections.forEach((title, below) -> pages.put(title, new Page(below)));
        return pages;
    }

    public boolean hasTable() {
        return lines.stream().anyMatch(line -> line.startsWith("|"));
    }

    /// The rows of its first table, without the header.
    public List<List<String>> table() {
        List<String> rows = lines.stream()
                .dropWhile(line -> !line.startsWith("|"))
                .takeWhile(line -> line.startsWith("|"))
                .skip(2) // the header and its underline
                .toList();
        assertThat(rows).as("a table in %s", this).isNotEmpty();
        return rows.stream().map(Page::cells).toList();
    }

    /// The table with this title in the first column.
    public Page tableOf(String title) {
        List<String> from = lines.stream()
                .dropWhile(line -> !line.startsWith("| " + title + " |"))
                .toList();
        assertThat(from).as("a table of %s", title).isNotEmpty();
        return new Page(from);
    }

    private static List<String> cells(String row) {
        return Arrays.stream(row.substring(1).split("\\|", -1))
                .limit(row.chars().filter(c -> c == '|').count() - 1)
                .map(String::strip)
                .toList();
    }

    /// The commands for a shell in the project's folder.
    public List<String> shell() {
        return commands().stream().filter(Page::isShell).toList();
    }

    private static boolean isShell(String typed) {
        return typed.matches("([A-Z0-9_]+=\\S+ )?\\./trainyard\\b.*")
                || typed.matches("(mkdir|echo|jq|kcat|curl|kubectl|docker|export|python3)\\b.*");
    }

    /// The code blocks of a language.
    public List<String> code(String language) {
        List<String> blocks = new ArrayList<>();
        StringBuilder block = null;
        for (String line : lines) {
            if (block == null && line.equals(FENCE + language)) {
                block = new StringBuilder();
            } else if (block != null && line.startsWith(FENCE)) {
                blocks.add(block.toString());
                block = null;
            } else if (block != null) {
                block.append(line).append('\n');
            }
        }
        return blocks;
    }

    /// The commands for a shell: lines indented by four spaces, without comments. A line that ends in `|` or `\`,
    /// or within quotes, continues on the next one.
    public List<String> commands() {
        List<String> commands = new ArrayList<>();
        boolean continues = false;
        for (String line : shellLines()) {
            String command = line.replaceFirst("\\s+# .*", "").strip();
            String whole = continues ? commands.removeLast().replaceFirst("\\\\$", "") + " " + command : command;
            commands.add(whole);
            continues = whole.matches(".*[|\\\\]")
                    || (isShell(whole) && whole.chars().filter(c -> c == '\'').count() % 2 == 1);
        }
        return commands;
    }

    private List<String> shellLines() {
        List<String> found = new ArrayList<>();
        boolean code = false;
        for (String line : lines) {
            code ^= line.startsWith(FENCE);
            if (!code && line.startsWith("    ")) {
                found.add(line);
            }
        }
        return found;
    }

    /// The targets of its links.
    public List<String> links() {
        return LINK.matcher(String.join("\n", lines))
                .results()
                .map(link -> link.group(1))
                .toList();
    }

    /// The anchors that GitHub generates for its headings.
    public List<String> anchors() {
        return Stream.iterate(1, level -> level + 1)
                .limit(6)
                .flatMap(level -> sections(level).keySet().stream())
                .map(title -> title.toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\w -]", "")
                        .replace(' ', '-'))
                .toList();
    }

    /// The code in backticks of a cell.
    public static List<String> code(List<String> cells, int column) {
        return CODE.matcher(cells.get(column))
                .results()
                .map(code -> code.group(1))
                .toList();
    }

    /// The page as one line, to search for phrases.
    public String text() {
        return String.join(" ", lines);
    }

    @Override
    public String toString() {
        return String.join("\n", lines);
    }
}
