package io.trainyard.cli.watch;

import static java.util.Locale.ROOT;

import io.trainyard.cli.terminal.Terminal;
import io.trainyard.event.JobState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Jobs as a table for people: columns as wide as they must be, up to a bound each.
public final class JobTable {
    private static final String NOTHING = "-";

    private JobTable() {}

    private record Column(String title, int maxWidth, boolean figures, Function<JobBook.Page, String> cell) {}

    private static final List<Column> COLUMNS = List.of(
            new Column("JOB", 40, false, page -> page.state().job()),
            new Column("STATE", 10, false, JobBook.Page::status),
            new Column(
                    "NETWORK",
                    16,
                    false,
                    page -> of(page.spec(), spec -> spec.network().label())),
            new Column(
                    "DATA SET",
                    16,
                    false,
                    page -> of(page.spec(), spec -> spec.dataset().name())),
            new Column("DEVICE", 12, false, page -> of(page.state().device(), device -> device)),
            new Column("WORKER", 24, false, page -> of(page.state().worker(), worker -> worker)),
            new Column("STEP", 24, true, page -> step(page.state())),
            new Column("LOSS", 12, true, page -> of(page.state().loss(), loss -> String.format(ROOT, "%.4f", loss))),
            new Column(
                    "ACCURACY",
                    8,
                    true,
                    page -> of(page.state().testAccuracy(), accuracy -> String.format(ROOT, "%.4f", accuracy))),
            new Column("ELAPSED", 12, true, page -> elapsed(page.state())),
            new Column("REASON", 60, false, page -> of(page.reason(), reason -> reason)));

    /// The lines of the table, the titles first.
    public static List<String> rows(Collection<JobBook.Page> pages) {
        List<StringBuilder> lines = new ArrayList<>();
        lines.add(new StringBuilder());
        pages.forEach(_ -> lines.add(new StringBuilder()));
        for (Column column : COLUMNS) {
            List<String> cells = new ArrayList<>(List.of(column.title()));
            pages.forEach(page -> cells.add(Terminal.printable(column.cell().apply(page), column.maxWidth())));
            int width = cells.stream().mapToInt(String::length).max().orElse(0);
            for (int i = 0; i < cells.size(); i++) {
                String padding = " ".repeat(width - cells.get(i).length());
                lines.get(i)
                        .append(column.figures() ? padding + cells.get(i) : cells.get(i) + padding)
                        .append("  ");
            }
        }
        return lines.stream().map(line -> line.toString().stripTrailing()).toList();
    }

    private static <T> String of(@Nullable T value, Function<T, String> text) {
        return value == null ? NOTHING : text.apply(value);
    }

    private static String step(JobState state) {
        return state.steps() == 0 && state.step() == 0
                ? NOTHING
                : state.step() + "/" + (state.steps() == 0 ? "?" : state.steps());
    }

    private static String elapsed(JobState state) {
        return state.elapsedMicros() == 0 ? NOTHING : Terminal.clock(state.elapsedMicros());
    }
}
