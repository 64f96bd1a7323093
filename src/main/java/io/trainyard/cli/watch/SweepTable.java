package io.trainyard.cli.watch;

import static java.util.Locale.ROOT;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.cli.terminal.TextTable;
import io.trainyard.spec.JobField;
import io.trainyard.spec.Metric;
import io.trainyard.spec.Printable;
import io.trainyard.sweep.SweepView;
import io.trainyard.sweep.SweepView.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A sweep as a text table: the best trial first, with its parameters and a bar for its result.
public final class SweepTable {
    private static final String NOTHING = "-";
    private static final int MAX_CELL = 24;
    private static final int MAX_NAME = 60;
    private static final int BAR = 20;

    private SweepTable() {}

    /// The lines: how many there are in which state, the best so far, the table.
    ///
    /// @param most of the trials that are shown
    public static List<String> lines(SweepView sweep, int most) {
        List<String> lines = new ArrayList<>();
        lines.add("sweep %s: %d trials, %s"
                .formatted(
                        sweep.group(),
                        sweep.trials().size(),
                        sweep.states().entrySet().stream()
                                .map(state -> state.getValue() + " " + state.getKey())
                                .collect(Collectors.joining(", "))));
        lines.add(best(sweep));
        lines.add("");
        List<Trial> shown =
                sweep.trials().subList(0, Math.min(most, sweep.trials().size()));
        lines.addAll(table(sweep, shown));
        if (shown.size() < sweep.trials().size()) {
            lines.add("and %d more".formatted(sweep.trials().size() - shown.size()));
        }
        return lines;
    }

    private static String best(SweepView sweep) {
        Trial first = sweep.trials().getFirst();
        return first.best() == null
                ? "no trial was tested yet"
                : "best so far: %s, %s %s, %d of %d epochs"
                        .formatted(
                                Printable.text(first.job(), MAX_NAME),
                                sweep.metric().label(),
                                number(first.best()),
                                first.epochs(),
                                first.ofEpochs());
    }

    private static List<String> table(SweepView sweep, List<Trial> trials) {
        List<List<String>> rows = new ArrayList<>();
        List<String> titles = new ArrayList<>(List.of("TRIAL", "STATE"));
        sweep.fields().forEach(field -> titles.add(title(field, sweep.fields())));
        boolean rungs = trials.stream().anyMatch(trial -> trial.rung() != null);
        titles.add("EPOCHS");
        if (rungs) {
            titles.add("RUNG");
        }
        titles.add("BEST " + sweep.metric().label().toUpperCase(ROOT));
        titles.add("");
        rows.add(titles);
        for (Trial trial : trials) {
            List<String> row = new ArrayList<>(
                    List.of(Printable.text(trial.job(), MAX_NAME), trial.state().name()));
            sweep.fields().forEach(field -> row.add(cell(trial.values().get(field))));
            row.add(trial.epochs() + "/" + trial.ofEpochs());
            if (rungs) {
                row.add(trial.rung() == null ? NOTHING : trial.rung().toString());
            }
            row.add(trial.best() == null ? NOTHING : number(trial.best()));
            row.add(bar(trial.best(), sweep));
            rows.add(row);
        }
        return TextTable.lines(rows, _ -> false);
    }

    /// The last part of a path if that is unique.
    private static String title(String field, List<String> fields) {
        String last = field.substring(field.lastIndexOf('.') + 1);
        long alike = fields.stream()
                .filter(other -> other.equals(last) || other.endsWith("." + last))
                .count();
        return Printable.text(alike == 1 ? last : field, MAX_CELL);
    }

    private static String cell(@Nullable JsonNode value) {
        return value == null ? NOTHING : Printable.text(JobField.text(value), MAX_CELL);
    }

    private static String number(double value) {
        return String.format(ROOT, "%.4f", value);
    }

    /// As long as an accuracy; a loss in proportion to the worst of all.
    private static String bar(@Nullable Double value, SweepView sweep) {
        if (value == null) {
            return "";
        }
        double whole = sweep.metric() == Metric.LOSS
                ? sweep.trials().stream()
                        .map(Trial::best)
                        .filter(best -> best != null)
                        .mapToDouble(best -> best)
                        .max()
                        .orElse(1)
                : 1;
        return "#".repeat((int) Math.round(BAR * Math.clamp(whole == 0 ? 0 : value / whole, 0, 1)));
    }
}
