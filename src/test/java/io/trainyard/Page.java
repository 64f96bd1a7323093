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

/// A page of the docs, or a part of one, as the tests read it that hold it against the code.
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

    /// @param path from the project's folder on
    public static Page read(String path) {
        try {
            return new Page(Files.readAllLines(Path.of(path)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// What is below a heading, with what is below those within it.
    ///
    /// @param heading as it is written, with its number signs
    public Page section(String heading) {
        int level = heading.indexOf(' ');
        Map<String, Page> all = sections(level);
        String title = heading.substring(level + 1);
        assertThat(all).as("the sections of level %d", level).containsKey(title);
        return all.getOrDefault(title, new Page(List.of()));
    }

    /// What is below each heading of a level, by the headings' text.
    public Map<String, Page> sections(int level) {
        Map<String, List<String>> sections = new LinkedHashMap<>();
        List<String> under = new ArrayList<>(); // what stands before the first such heading is dropped
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

    /// The rows of its first table, below the titles of the columns.
    public List<List<String>> table() {
        List<String> rows = lines.stream()
                .dropWhile(line -> !line.startsWith("|"))
                .takeWhile(line -> line.startsWith("|"))
                .skip(2) // titles, and the line below them
                .toList();
        assertThat(rows).as("a table in %s", this).isNotEmpty();
        return rows.stream().map(Page::cells).toList();
    }

    /// The table whose first column is titled so.
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

    /// What a person types: the commands that a shell of the project's folder has.
    public List<String> shell() {
        return commands().stream()
                .filter(typed -> typed.matches("(\\./trainyard|mkdir|echo|kcat|kubectl|docker|export)\\b.*"))
                .toList();
    }

    /// The blocks of code in a language.
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

    /// The commands for a shell: what is indented by four spaces, without comments; a line that ends in `|` or `\` goes
    /// on.
    public List<String> commands() {
        List<String> commands = new ArrayList<>();
        boolean goesOn = false;
        for (String line : shellLines()) {
            String command = line.replaceFirst("\\s+# .*", "").strip();
            commands.add(goesOn ? commands.removeLast() + " " + command : command);
            goesOn = command.endsWith("|");
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

    /// What links can name in it: its headings, as GitHub makes anchors of them.
    public List<String> anchors() {
        return Stream.iterate(1, level -> level + 1)
                .limit(6)
                .flatMap(level -> sections(level).keySet().stream())
                .map(title -> title.toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\w -]", "")
                        .replace(' ', '-'))
                .toList();
    }

    /// What a cell has in backticks.
    public static List<String> code(List<String> cells, int column) {
        return CODE.matcher(cells.get(column))
                .results()
                .map(code -> code.group(1))
                .toList();
    }

    /// In one line, to look for phrases.
    public String text() {
        return String.join(" ", lines);
    }

    @Override
    public String toString() {
        return String.join("\n", lines);
    }
}
