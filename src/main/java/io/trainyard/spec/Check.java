package io.trainyard.spec;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Checks shared by the constructors of this package. Each returns its value or throws [InvalidJobException].
final class Check {
    private Check() {}

    static <T> T present(String field, @Nullable T value) {
        if (value == null) {
            throw new InvalidJobException(field + " is missing; give it a value");
        }
        return value;
    }

    static int between(String field, int value, int min, int max) {
        if (value < min || value > max) {
            throw new InvalidJobException("%s is %d; allowed is %d to %d".formatted(field, value, min, max));
        }
        return value;
    }

    /// Checks both rows and columns.
    static Extent between(String field, Extent value, int min, int max) {
        if (Math.min(value.rows(), value.columns()) < min || Math.max(value.rows(), value.columns()) > max) {
            throw new InvalidJobException("%s is %s; allowed is %d to %d".formatted(field, value, min, max));
        }
        return value;
    }

    /// Accepts null.
    static void unlessNull(String field, @Nullable Integer value, int min, int max) {
        if (value != null) {
            var _ = between(field, value.intValue(), min, max);
        }
    }

    /// Accepts `min <= value <= max`; NaN is refused.
    static double between(String field, double value, double min, double max) {
        if (!(value >= min && value <= max)) {
            throw new InvalidJobException("%s is %s; allowed is %s to %s".formatted(field, value, min, max));
        }
        return value;
    }

    /// Accepts `min <= value < max`; NaN and infinities are refused.
    static double within(String field, double value, double min, double max) {
        if (!(value >= min && value < max)) {
            throw new InvalidJobException(
                    "%s is %s; allowed is %s up to, but not including, %s".formatted(field, value, min, max));
        }
        return value;
    }

    /// Accepts `0 < value <= max`; NaN and infinities are refused.
    static double above0UpTo(String field, double value, double max) {
        if (!(value > 0 && value <= max)) {
            throw new InvalidJobException("%s is %s; allowed is above 0 up to %s".formatted(field, value, max));
        }
        return value;
    }

    static String matching(String field, String value, String regex, String allowed) {
        if (!value.matches(regex)) {
            throw new InvalidJobException("%s is \"%s\"; allowed is %s".formatted(field, shortened(value), allowed));
        }
        return value;
    }

    /// Checks that the list is present and has no null entries.
    static <T> List<T> complete(String field, @Nullable List<T> values) {
        for (T value : present(field, values)) {
            if (value == null) {
                throw new InvalidJobException(field + " has an entry that is null; give each a value");
            }
        }
        return List.copyOf(present(field, values));
    }

    /// Reads two numbers, for rows and columns: a single number for both, or a list of two.
    ///
    /// @param allowed description for the message
    static List<JsonNode> bothWays(JsonNode json, Predicate<JsonNode> isNumber, String allowed) {
        if (isNumber.test(json)) {
            return List.of(json, json);
        }
        List<JsonNode> both = json.isArray() ? json.valueStream().toList() : List.of();
        if (both.size() != 2 || !both.stream().allMatch(isNumber)) {
            throw new InvalidJobException("%s is given; allowed is %s".formatted(shortened(json.toString()), allowed));
        }
        return both;
    }

    /// A value for a message: at most one line, without control characters.
    static String shortened(String value) {
        return shortened(value, 80);
    }

    static String shortened(String value, int length) {
        String printable = value.replaceAll("\\p{Cntrl}", "?");
        return printable.length() <= length ? printable : printable.substring(0, length - 3) + "...";
    }
}
