package io.trainyard.cli.report;

import static java.util.Locale.ROOT;

import io.trainyard.cli.terminal.TextTable;
import io.trainyard.data.Inspection;
import io.trainyard.spec.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// The output of `dataset inspect` as text.
public final class InspectionText {
    private static final int MOST_ROWS = 40;

    private static final int MOST_CHARACTERS = 1_000;

    private InspectionText() {}

    public static List<String> lines(Inspection inspection) {
        List<String> lines = new ArrayList<>();
        lines.add("%s: %s, %s".formatted(inspection.path(), inspection.kind(), size(inspection)));
        inspection.reasons().forEach(reason -> lines.add("  because " + reason));
        if (inspection.unreadable() != null) {
            lines.add("cannot be trained on: " + inspection.unreadable());
        }
        Inspection.ImageSizes sizes = inspection.imageSizes();
        if (sizes != null) {
            lines.add("files: %d sizes (width x height), %s to %s, most of them %s"
                    .formatted(sizes.different(), sizes.smallest(), sizes.largest(), sizes.usual()));
        }
        addClasses(inspection, lines);
        addChannels(inspection, lines);
        inspection.odd().forEach(sentence -> lines.add("odd: " + sentence));
        return lines.stream().map(line -> Printable.text(line, MOST_CHARACTERS)).toList();
    }

    private static String size(Inspection inspection) {
        List<Integer> shape = inspection.shape();
        String counted = String.format(
                ROOT,
                "%,d samples to train on, %s%,d to test on",
                inspection.train(),
                inspection.validation() == null ? "" : count(inspection.validation()) + " to validate on, ",
                inspection.test());
        return shape == null
                ? counted
                : "%s, each %s of %s"
                        .formatted(
                                counted,
                                inspection.type(),
                                shape.stream().map(String::valueOf).collect(Collectors.joining("x")));
    }

    private static void addClasses(Inspection inspection, List<String> lines) {
        if (inspection.classes().isEmpty()) {
            return;
        }
        List<List<String>> table = new ArrayList<>();
        boolean validates = inspection.validation() != null;
        table.add(validates ? List.of("CLASS", "TRAIN", "VALIDATION", "TEST") : List.of("CLASS", "TRAIN", "TEST"));
        inspection.classes().stream().limit(MOST_ROWS).forEach(row -> table.add(cells(row)));
        lines.addAll(TextTable.lines(table, column -> column > 0));
        addRemainder(inspection.classes().size(), "classes", lines);
    }

    private static List<String> cells(Inspection.ClassCount row) {
        List<String> cells = new ArrayList<>(List.of(Printable.text(row.name(), 60), count(row.train())));
        if (row.validation() != null) {
            cells.add(count(row.validation()));
        }
        cells.add(count(row.test()));
        return cells;
    }

    private static String count(int samples) {
        return String.format(ROOT, "%,d", samples);
    }

    private static void addChannels(Inspection inspection, List<String> lines) {
        if (inspection.channels().isEmpty()) {
            return;
        }
        List<List<String>> table = new ArrayList<>();
        table.add(List.of("CHANNEL", "MEAN", "STD", "LEAST", "MOST"));
        inspection.channels().stream()
                .limit(MOST_ROWS)
                .forEach(row -> table.add(List.of(
                        Printable.text(row.name(), 60),
                        number(row.mean()),
                        number(row.std()),
                        number(row.least()),
                        number(row.most()))));
        lines.addAll(TextTable.lines(table, column -> column > 0));
        addRemainder(inspection.channels().size(), "channels", lines);
    }

    private static void addRemainder(int rows, String what, List<String> lines) {
        if (rows > MOST_ROWS) {
            lines.add("and %d more %s, which --json tells".formatted(rows - MOST_ROWS, what));
        }
    }

    private static String number(double value) {
        return String.format(ROOT, "%.6g", value);
    }
}
