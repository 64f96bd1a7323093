package io.trainyard.dashboard.rest;

import io.trainyard.spec.Printable;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// Parses query parameters; an invalid one is a [Problem].
final class Parameter {
    private static final int MAX_SHOWN = 100;

    /// Events have no other times.
    private static final int FIRST_YEAR = 1970;

    private static final int LAST_YEAR = 9999;

    private Parameter() {}

    static int integer(String name, String text, int least, int most) {
        try {
            int number = Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException _) { // reported below
        }
        throw Problem.badRequest("%s is \"%s\"; allowed is %d to %d".formatted(name, shown(text), least, most));
    }

    static long step(String name, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException _) {
            throw Problem.badRequest(
                    "%s is \"%s\"; allowed is the number of a step, counting from 1".formatted(name, shown(text)));
        }
    }

    static LocalDate day(String name, String text) {
        try {
            LocalDate day = LocalDate.parse(text);
            if (day.getYear() >= FIRST_YEAR && day.getYear() <= LAST_YEAR) {
                return day;
            }
        } catch (DateTimeParseException _) { // reported below
        }
        throw Problem.badRequest("%s is \"%s\"; allowed is a day of the years %d to %d, such as 2026-11-22"
                .formatted(name, shown(text), FIRST_YEAR, LAST_YEAR));
    }

    /// The name of an enum constant, in any case.
    static <E extends Enum<E>> E name(String name, String text, Class<E> type) {
        return Arrays.stream(type.getEnumConstants())
                .filter(one -> word(one).equals(text.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> Problem.badRequest("%s is \"%s\"; allowed is %s"
                        .formatted(
                                name,
                                shown(text),
                                Arrays.stream(type.getEnumConstants())
                                        .map(Parameter::word)
                                        .collect(Collectors.joining(", ")))));
    }

    private static String word(Enum<?> one) {
        return one.name().toLowerCase(Locale.ROOT);
    }

    static List<String> list(String text) {
        return Arrays.stream(text.split(",")).filter(part -> !part.isEmpty()).toList();
    }

    /// As [#list], of jobs' ids: at least one, at most `most`.
    static List<String> jobs(String text, int most) {
        List<String> jobs = list(text).stream().distinct().toList();
        if (jobs.isEmpty() || jobs.size() > most) {
            throw Problem.badRequest("jobs names %d jobs; allowed are 1 to %d ids, with commas between them"
                    .formatted(jobs.size(), most));
        }
        return jobs;
    }

    /// As [#list], one for each of `count` jobs: where there is a single one, it is every job's.
    static List<String> each(String name, String text, int count) {
        List<String> all = list(text);
        if (all.size() == 1) {
            return Collections.nCopies(count, all.getFirst());
        }
        if (all.size() != count) {
            throw Problem.badRequest("%s names %d steps for %d jobs; allowed is one for all, or one for each"
                    .formatted(name, all.size(), count));
        }
        return all;
    }

    static String shown(String text) {
        return Printable.text(text, MAX_SHOWN);
    }
}
