package io.trainyard.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/// The results of a campaign: lines of a table, printed and appended to `target/faults.md`.
final class FaultTable {
    private static final Path FILE = Path.of("target", "faults.md");

    private FaultTable() {}

    /// @param fault the injected fault
    /// @param runs the number of repetitions
    /// @param delays until the next attempt's first step, if there was one
    static void add(String fault, int runs, List<Duration> delays, String result) {
        List<Duration> sorted = delays.stream().sorted().toList();
        String line = "| %s | %d | %s | %s | %s |%n"
                .formatted(
                        fault + chosen(),
                        runs,
                        sorted.isEmpty() ? "" : seconds(sorted.get(sorted.size() / 2)),
                        sorted.isEmpty() ? "" : seconds(sorted.getLast()),
                        result);
        System.out.print(line);
        try {
            Files.writeString(FILE, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The settings that differ from the default.
    private static String chosen() {
        return (FaultStore.Kind.chosen() == FaultStore.Kind.DIRECTORY ? "" : ", " + FaultStore.Kind.chosen())
                + (FaultKafka.chosen() == FaultKafka.PACKAGED ? "" : ", " + FaultKafka.chosen());
    }

    private static String seconds(Duration delay) {
        return String.format(Locale.ROOT, "%.1f s", delay.toMillis() / 1e3);
    }
}
