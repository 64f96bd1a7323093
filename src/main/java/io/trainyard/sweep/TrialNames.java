package io.trainyard.sweep;

import com.fasterxml.jackson.databind.JsonNode;
import io.trainyard.spec.InvalidJobException;
import io.trainyard.spec.SweepValues;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// The ids of a sweep's trials: `<sweep>.07-lr0.01-bs32`. The number makes them differ, and sorts them; the values are
/// for people, and left out where an id would become too long.
final class TrialNames {
    private static final int MAX_ID = 100;

    private static final MathContext FIGURES = new MathContext(4);

    /// The most of a text that stands in an id.
    private static final int MAX_TEXT = 16;

    private final String sweep;
    private final int digits;
    private final Map<String, String> shortNames;
    private final Map<String, SweepValues> fields;

    TrialNames(String sweep, Map<String, SweepValues> fields, int count) {
        this.sweep = sweep;
        this.digits = Integer.toString(count).length();
        this.fields = fields;
        this.shortNames = shortNames(List.copyOf(fields.keySet()));
        if (name(count).length() > MAX_ID) {
            throw new InvalidJobException(
                    "id has %d characters; with %d trials allowed is up to %d, for the trials' ids are longer"
                            .formatted(sweep.length(), count, MAX_ID - digits - 1));
        }
    }

    private String name(int number) {
        return sweep + "." + "0".repeat(digits - Integer.toString(number).length()) + number;
    }

    String of(int index, Map<String, JsonNode> values) {
        String name = name(index + 1);
        String whole = name
                + values.entrySet().stream()
                        .map(value -> "-" + shortNames.get(value.getKey()) + text(value.getKey(), value.getValue()))
                        .collect(Collectors.joining());
        return whole.length() <= MAX_ID ? whole : name;
    }

    /// `lr` for `optimizer.learningRate`; the whole name where others begin alike.
    private static Map<String, String> shortNames(List<String> paths) {
        Map<String, String> names = new LinkedHashMap<>();
        for (String path : paths) {
            long alike = paths.stream()
                    .filter(other -> initials(other).equals(initials(path)))
                    .count();
            names.put(path, alike == 1 ? initials(path) : path.replace('.', '_'));
        }
        return names;
    }

    private static String initials(String path) {
        String last = path.substring(path.lastIndexOf('.') + 1);
        return last.charAt(0) + last.substring(1).replaceAll("[^A-Z]", "").toLowerCase(Locale.ROOT);
    }

    private String text(String path, JsonNode value) {
        if (value.isNumber()) {
            String plain = new BigDecimal(value.asText())
                    .round(FIGURES)
                    .stripTrailingZeros()
                    .toPlainString();
            return plain.length() <= MAX_TEXT ? plain : value.asText().replaceAll("[^0-9A-Za-z-]", "_");
        }
        String word = value.isObject()
                ? value.path("type").asText(value.path("name").asText())
                : value.isTextual() || value.isBoolean() ? value.asText() : "";
        String printable = word.replaceAll("[^A-Za-z0-9_-]", "_");
        return printable.isEmpty() || printable.length() > MAX_TEXT ? Integer.toString(place(path, value)) : printable;
    }

    /// Which of the values of its list it is, from 1 on.
    private int place(String path, JsonNode value) {
        return fields.get(path) instanceof SweepValues.Choices(List<JsonNode> values) ? values.indexOf(value) + 1 : 0;
    }
}
