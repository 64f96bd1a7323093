package io.trainyard.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/// What a campaign has found: lines of a table, printed and added to `target/faults.md`.
final class FaultTable {
    private static final Path FILE = Path.of("target", "faults.md");

    private FaultTable() {}

    /// Adds a line.
    ///
    /// @param fault what was done
    /// @param runs how often
    /// @param delays to the next attempt's first step, as far as there was one
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

    /// What is not as usual.
    private static String chosen() {
        return (FaultStore.Kind.chosen() == FaultStore.Kind.DIRECTORY ? "" : ", " + FaultStore.Kind.chosen())
                + (FaultKafka.chosen() == FaultKafka.PACKAGED ? "" : ", " + FaultKafka.chosen());
    }

    private static String seconds(Duration delay) {
        return String.format(Locale.ROOT, "%.1f s", delay.toMillis() / 1e3);
    }
}
